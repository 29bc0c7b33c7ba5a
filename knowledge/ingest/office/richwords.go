package office

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"lacuna/knowledge/document"
)

// rtfChars holds the words that stand for a character.
var rtfChars = map[string]string{
	"tab": " ", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
	"enspace": " ", "emspace": " ", "qmspace": " ", "zwj": "\u200d", "zwnj": "\u200c", "nestcell": " ", "softline": "\n",
}

// rtfSkipped holds the groups whose text is not the document's, beside those that may be unknown.
var rtfSkipped = map[string]bool{
	"colortbl": true, "pict": true, "filetbl": true, "bkmkstart": true, "bkmkend": true, "xe": true, "tc": true, "tcn": true, "rxe": true, "txe": true, "sp": true,
	"nonshppict": true, "listtable": true, "listoverridetable": true, "revtbl": true, "rsidtbl": true, "template": true, "ftnsep": true, "ftnsepc": true,
	"ftncn": true, "aftnsep": true, "aftnsepc": true, "aftncn": true, "atnid": true, "atnauthor": true, "atndate": true, "atnref": true, "atntime": true,
	"fontemb": true, "fontfile": true, "falt": true, "panose": true, "fname": true, "private": true, "themedata": true, "colorschememapping": true, "datastore": true, "latentstyles": true,
	"generator": true, "pntxta": true, "pntxtb": true, "objdata": true, "objclass": true, "objname": true, "datafield": true, "formfield": true, "mmathPr": true,
	"stextflow": true, "pnseclvl": true, "htmltag": true, "mhtmltag": true, "wgrffmtfilter": true, "passwordhash": true, "xmlnstbl": true, "blipuid": true, "picprop": true, "bliptag": true,
}

// word handles a control word.
func (r *rtfReader) word(word string, n int, given bool) error {
	on := !given || n != 0
	star := r.state.star
	r.state.star = false
	if r.state.to == toNowhere && word != "ud" {
		return nil
	}
	if text, ok := rtfChars[word]; ok {
		return r.add(text)
	}
	if rtfSkipped[word] {
		if word == "pict" && r.state.to == toText {
			r.out.Omit(pictures, 0)
		}
		r.state.to, r.state.ends = toNowhere, 0
		return nil
	}
	switch word {
	case "par", "sect":
		return r.endParagraph()
	case "page", "column":
		return r.add("\n")
	case "pard":
		r.state.inTable, r.state.list, r.state.level, r.state.styleID, r.state.outline, r.state.indent = false, 0, 0, 0, 0, 0
	case "deff":
		r.defaultFont = n
	case "plain":
		r.state.font, r.state.codepage = r.defaultFont, r.codepage
		if page := r.fonts[r.defaultFont].codepage; page > 0 {
			r.state.codepage = page
		}
		r.state.hidden, r.state.bold, r.state.raised, r.state.deleted = false, false, false, false
	case "intbl":
		r.state.inTable = on
	case "itap":
		r.state.inTable = n > 0
	case "cell":
		return r.endCell()
	case "nestrow":
		return r.endParagraph()
	case "row":
		return r.endRow()
	case "trowd":
		r.header, r.columns, r.column = false, r.columns[:0], rtfColumn{}
	case "trhdr":
		r.header = true
	case "clvmrg":
		r.column.merged = true
	case "clmrg":
		r.column.joined = true
	case "cellx":
		if len(r.columns) < maxColumn {
			r.columns = append(r.columns, r.column)
		}
		r.column = rtfColumn{}
	case "s":
		r.state.styleID = n
		if r.state.to == toStyles {
			r.styleID = n
		}
	case "cs", "ds", "ts":
		if r.state.to == toStyles {
			r.styleID = -1
		}
	case "outlinelevel":
		if n >= 0 && n < 9 {
			r.state.outline = n + 1
			if r.state.to == toStyles {
				if r.styles[r.styleID] == nil {
					r.styles[r.styleID] = &style{}
				}
				r.styles[r.styleID].level = n + 1
			}
		}
	case "li":
		r.state.indent = n
	case "ls":
		r.state.list = n
	case "ilvl":
		r.state.level = n
	case "b":
		r.state.bold = on
	case "super":
		r.state.raised = on
	case "sub", "nosupersub":
		r.state.raised = false
	case "v":
		r.state.hidden = on
	case "deleted":
		r.state.deleted = on
	case "uc":
		r.state.skipAfterUnicode = max(0, min(n, 64))
	case "ansicpg":
		r.codepage, r.state.codepage = n, n
	case "mac":
		r.codepage, r.state.codepage = 10000, 10000
	case "pc":
		r.codepage, r.state.codepage = 437, 437
	case "pca":
		r.codepage, r.state.codepage = 850, 850
	case "f":
		r.state.font = n
		if r.state.to == toFonts {
			if r.name.Len() > 0 {
				r.nameFont()
			}
			r.font, r.state.ends = n, 'o'
			return nil
		}
		r.state.codepage = r.codepage
		if page := r.fonts[n].codepage; page > 0 {
			r.state.codepage = page
		}
	case "fcharset", "cpg":
		if r.state.to == toFonts {
			page := n
			if word == "fcharset" {
				page = charsets[n]
			}
			r.fonts[r.font] = rtfFont{r.fonts[r.font].name, page}
			if page > 0 {
				r.state.codepage = page
			}
		}
	case "fonttbl":
		r.state.to = toFonts
	case "stylesheet":
		r.state.to = toStyles
	case "info", "userprops":
		r.state.to = toProperty
	case "creatim", "revtim":
		if r.state.to == toProperty {
			r.when, r.state.ends = [3]int{}, 'd'
		}
	case "yr":
		r.when[0] = n
	case "mo":
		r.when[1] = n
	case "dy":
		r.when[2] = n
	case "propname":
		if r.state.to == toProperty {
			r.name.Reset()
			r.state.ends = 'u'
		}
	case "staticval":
		if r.state.to == toProperty {
			r.name.Reset()
			r.state.ends = 'v'
		}
	case "title", "subject", "author", "keywords", "doccomm", "category":
		if r.state.to == toProperty {
			r.name.Reset()
			r.state.ends, r.state.property = 'p', map[string]string{"author": "creator", "doccomm": "description"}[word]
			if r.state.property == "" {
				r.state.property = word
			}
		}
	case "listtext", "pntext":
		if r.state.to == toText {
			r.name.Reset()
			r.state.to, r.state.ends = toMarker, 'm'
		}
	case "field":
		if len(r.fields) < maxGroups {
			r.fields = append(r.fields, rtfField{text: r.text})
			r.state.ends = 'f'
		}
	case "fldinst":
		r.name.Reset()
		r.state.to, r.state.ends = toCode, 'c'
	case "fldrslt":
		if k := len(r.fields); k > 0 {
			f := &r.fields[k-1]
			f.text = r.text
			switch fieldName(f.code) {
			case "TOC", "TOA":
				r.state.chrome = document.Contents
			case "INDEX":
				r.state.chrome = document.Index
			case "PAGE", "NUMPAGES", "SECTIONPAGES":
				f.page = true
			}
		}
	case "footnote":
		if r.state.to == toText && len(r.stories) < 16 {
			story := &rtfStory{}
			if r.noteNo > 0 {
				story.mark = r.lastMark()
			}
			r.stories = append(r.stories, story)
			r.state.ends = 'n'
			r.state.inTable = false
			r.state.hidden = false
		}
	case "chftn":
		if len(r.stories) == 1 && r.state.to == toText {
			r.noteNo++
			defer func(raised bool) { r.state.raised = raised }(r.state.raised)
			r.state.raised = false
			return r.add(r.lastMark())
		}
	case "shptxt", "dptxbxtext":
		if r.state.to != toText {
			break
		}
		if len(r.stories) < 16 {
			r.stories = append(r.stories, &rtfStory{})
			r.state.to, r.state.ends = toText, 'b'
			r.state.inTable = false
		} else {
			r.state.to = toNowhere
		}
	case "shpinst", "do": // known, though they say that they need not be
	case "nesttableprops", "nonesttables", "shprslt":
		r.state.to = toNowhere
	case "object":
		r.out.Omit(embedded, 0)
	case "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf":
		r.state.to, r.state.ends, r.aside = toAside, 'h', 0
	case "annotation":
		r.state.to, r.state.ends, r.aside = toAside, 'a', 0
	case "upr":
		r.state.to, r.state.was = toNowhere, r.state.to
	case "ud":
		if r.state.to == toNowhere && star {
			r.state.to = r.state.was
		}
	default:
		if star {
			r.state.to, r.state.ends = toNowhere, 0
		}
	}
	return nil
}

// lastMark returns the mark of the last note.
func (r *rtfReader) lastMark() string { return "[" + strconv.Itoa(r.noteNo) + "]" }

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// charsets maps the character sets of fonts to code pages.
var charsets = map[int]int{
	0: 1252, 77: 10000, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}

// pages maps code pages to encodings.
var pages = map[int]encoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 855: charmap.CodePage855, 858: charmap.CodePage858, 860: charmap.CodePage860,
	862: charmap.CodePage862, 863: charmap.CodePage863, 865: charmap.CodePage865, 866: charmap.CodePage866, 874: charmap.Windows874,
	932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5, 54936: simplifiedchinese.GB18030,
	1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252, 1253: charmap.Windows1253, 1254: charmap.Windows1254,
	1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257, 1258: charmap.Windows1258, 10000: charmap.Macintosh, 10007: charmap.MacintoshCyrillic,
	65001: encoding.Nop,
}

// decodePage returns bytes of a code page as text; those of an unknown one count as Windows-1252.
func decodePage(bytes []byte, page int) string {
	e := pages[page]
	if e == nil {
		e = charmap.Windows1252
	}
	text, err := e.NewDecoder().Bytes(bytes)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(text), "")
}
