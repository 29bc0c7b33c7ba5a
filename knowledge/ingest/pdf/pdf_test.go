package pdf

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/ingest/pdf/pdftest"
)

func TestMain(m *testing.M) {
	Child()
	os.Exit(m.Run())
}

func TestRead(t *testing.T) {
	running := func(n int) string {
		return pdftest.Lines(72, 760, 9, "Guideline") + pdftest.Lines(72, 600, 11, fmt.Sprintf("Text of page %c.", 'a'+n), "Second.") +
			pdftest.Lines(72, 500+float64(10*n), 11, "Third.") +
			pdftest.Lines(300, 30, 9, fmt.Sprint("Page ", n+1))
	}
	for _, test := range []struct{ name, file, want string }{
		{"words that lie apart", pdftest.File("", "BT /F1 10 Tf 72 700 Td [(Apix) 20 (aban) -300 (twice) -250 (a) -333 (day.)] TJ ET"),
			"1: Apixaban twice a day.\n"},
		{"words placed one by one", pdftest.File("", "BT /F1 10 Tf 72 700 Td (Five) Tj 22.5 0 Td (mg) Tj ET"), "1: Five mg\n"},
		{"letters of one word placed apart", pdftest.File("", "BT /F1 10 Tf 72 700 Td (Fi) Tj 10.4 0 Td (ve) Tj ET"), "1: Five\n"},
		{"columns stay apart", pdftest.File("", pdftest.Lines(72, 700, 10, prose("left")...)+pdftest.Lines(320, 695, 10, prose("right")...)),
			"1: " + strings.Join(append(prose("left"), prose("right")...), "\n1: ") + "\n"},
		{"columns below a title on common baselines", pdftest.File("", pdftest.Lines(150, 740, 14, "A title that stands above both of the columns")+
			pdftest.Lines(72, 700, 10, prose("left")...)+pdftest.Lines(320, 700, 10, prose("right")...)),
			"1: A title that stands above both of the columns\n1: " + strings.Join(append(prose("left"), prose("right")...), "\n1: ") + "\n"},
		{"what stands beside each other is read by rows", pdftest.File("", pdftest.Lines(72, 700, 10, "Left one", "left two")+pdftest.Lines(320, 700, 10, "Right one", "right two")),
			"1: Left one\n1: Right one\n1: left two\n1: right two\n"},
		{"a table", pdftest.File("", table), "1: Drug | Dose | Interval\n1: Apixaban | 5 mg | 12 h\n1: Dabigatran | 150 mg | 12 h\n1: Edoxaban |  | 24 h\n"},
		{"a ruled table with cells of several lines", pdftest.File("", ruled), "1: Reaction | How often\n1: Bleeding of the gums and of the nose | Common\n1: Rash | Rare\n"},
		{"a raised letter", pdftest.File("", "BT /F1 10 Tf 72 700 Td (10) Tj /F1 7 Tf 4 Ts (9) Tj /F1 10 Tf 0 Ts ( per litre) Tj ET"), "1: 10⁹ per litre\n"},
		{"numbers of notes, raised", pdftest.File("", "BT /F1 10 Tf 72 700 Td (bleeding) Tj /F1 6 Tf 4 Ts (1,2) Tj /F1 10 Tf 0 Ts ( or stroke) Tj /F1 6 Tf 4 Ts (b) Tj ET"), "1: bleeding¹,² or stroke b\n"},
		{"a raised number in small print", pdftest.File("", pdftest.Lines(72, 700, 12, prose("large")...)+"BT /F1 8 Tf 72 400 Td (4.5 A/cm) Tj /F1 5 Tf 3 Ts (2) Tj ET"), "1: " + strings.Join(prose("large"), "\n1: ") + "\n1: 4.5 A/cm²\n"},
		{"two bytes a letter", pdftest.File("", "BT /F2 10 Tf 72 700 Td <00350020006D0067> Tj ET"), "1: 5 mg\n"},
		{"ideographs have no spaces", pdftest.File("", "BT /F2 10 Tf 72 700 Td [<6BCF> -300 <65E5>] TJ ET"), "1: 每日\n"},
		{"a drawing that uses itself", pdftest.File("", "BT /F1 10 Tf 72 700 Td (page) Tj ET /X1 Do"), "1: page\n1: drawn\n"},
		{"text that runs upwards", pdftest.File("", "BT /F1 10 Tf 0 1 -1 0 50 300 Tm (a stamp) Tj 1 0 0 1 72 700 Tm (running text) Tj ET"), "1: running text\n1: a stamp\n"},
		{"a moved and enlarged page", pdftest.File("", "q 2 0 0 2 10 10 cm BT /F1 10 Tf 0 100 Td (big) Tj ET Q BT /F1 10 Tf 72 50 Td (small) Tj ET"),
			"1: big\n1: small\n"},
		{"titles", pdftest.File("A \\(short\\) title", pdftest.Lines(72, 700, 10, "x")), "A (short) title\n1: x\n"},
		{"running heads and page numbers", pdftest.File("", running(0), running(1), running(2), running(3)),
			"1: Text of page a.\n1: Second.\n1: Third.\n2: Text of page b.\n2: Second.\n2: Third.\n" +
				"3: Text of page c.\n3: Second.\n3: Third.\n4: Text of page d.\n4: Second.\n4: Third.\n"},
		{"text beyond all numbers",
			pdftest.File("", "BT /F1 10 Tf (seen) Tj "+strings.Repeat("1"+strings.Repeat("0", 308)+".0 0 Td ", 2)+"(beyond) Tj ET"), "1: seen\n"},
		{"operators without arguments", pdftest.File("", "Tf Td TJ Tj ' \" Tm Do BT /F1 10 Tf (a) Tj Q Q ET"), "1: a\n"},
		{"no text", pdftest.File("", "0 0 10 10 re f"), "error: no text, only images; run OCR on it first\n"},
		{"Windows-1252 below differences", simple("/Subtype /TrueType /Encoding << /Differences [65 /fi /uni00B5 /u1D49C /f_l.alt] >>", "2\x9610 A B C D"), "1: 2–10 fi µ 𝒜 fl\n"},
		{"glyphs that are named by numbers", simple("/Subtype /Type1 /Encoding << /Differences [1 /g68 /g79 /g83 /g69] >>", "\x01\x02\x03\x04"), "1: DOSE\n"},
		{"codes of Symbol", simple("/Subtype /Type1 /BaseFont /Symbol", "a\xb3b"), "1: α≥β\n"},
		{"what ToUnicode says", pdftest.Page("/Font << /F 4 0 R >>", "BT /F 10 Tf 72 700 Td <010203> Tj ET",
			"<< /Type /Font /Subtype /Type1 /Widths [500 500 500] /FirstChar 1 /ToUnicode 5 0 R >>",
			pdftest.Stream("", "1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <01> <00660066> endbfchar 1 beginbfrange <02> <03> <00B5> endbfrange")),
			"1: ffµ¶\n"},
		{"codes of Chinese without ToUnicode", pdftest.Page("/Font << /F 4 0 R >>", "BT /F 10 Tf 72 700 Td <C3BFC8D5> Tj ET",
			"<< /Type /Font /Subtype /Type0 /Encoding /GBK-EUC-H /DescendantFonts [<< /CIDSystemInfo << /Ordering (GB1) >> >>] >>"), "1: 每日\n"},
		{"CIDs of Japanese without ToUnicode", pdftest.Page("/Font << /F 4 0 R >>", "BT /F 10 Tf 72 700 Td <0465> Tj ET",
			"<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /CIDSystemInfo << /Ordering (Japan1) >> >>] >>"), "1: 亜\n"},
		{"text written to the left", pdftest.File("", "BT /F2 10 Tf 72 700 Td <002005DD05D505DC05E9> Tj ET"), "1: שלום\n"},
		{"text with a meaning of its own", pdftest.File("", "BT /F1 10 Tf 72 700 Td /Span << /ActualText (dose) >> BDC (d0$3) Tj EMC ( of 5 mg) Tj ET"), "1: dose of 5 mg\n"},
		{"artifacts are no content", pdftest.File("", "BT /F1 10 Tf 72 700 Td (text) Tj ET /Artifact BMC BT /F1 10 Tf 72 30 Td (draft) Tj ET EMC"), "1: text\n"},
		{"a page that is one artifact is content", pdftest.File("", "/Artifact BMC "+pdftest.Lines(72, 700, 10, prose("only")...)+" EMC"),
			"1: " + strings.Join(prose("only"), "\n1: ") + "\n"},
		{"text that is printed twice to look bold", pdftest.File("", "BT /F1 10 Tf 72 700 Td (bold) Tj 0.3 0 Td (bold) Tj ET"), "1: bold\n"},
		{"text that nobody sees", pdftest.File("", "BT 3 Tr /F1 10 Tf 72 700 Td (recognised) Tj ET"), "1: recognised\n"},
		{"an inline picture", pdftest.File("", "BI /W 2 /H 1 ID (x) Tj EI BT /F1 10 Tf 72 700 Td (text) Tj ET"), "1: text\n"},
		{"the value of a field", pdftest.Objects("", "<< /Type /Catalog /Pages 2 0 R /AcroForm << /XFA [] >> >>",
			"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
			"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Annots [<< /Subtype /Widget /FT /Tx /V (5 mg) /Rect [72 700 172 720] >>] >>"), "1: 5 mg\n"},
		{"a page turned round", strings.Replace(pdftest.File("", "BT /F1 10 Tf 0 1 -1 0 300 300 Tm (one) Tj 0 -12 Td (two) Tj ET"), "/Type /Page /Parent", "/Rotate 90 /Type /Page /Parent", 1), "1: one\n1: two\n"},
		{"without its table of objects", strings.NewReplacer("startxref", "start", "xref", "xxxx").Replace(pdftest.File("T", pdftest.Lines(72, 700, 10, "x"))), "T\n1: x\n"},
		{"spaces behind the version", strings.Replace(pdftest.File("", pdftest.Lines(72, 700, 10, "x")), "%PDF-1.4", "%PDF-1.2 ", 1), "1: x\n"},
		{"a table of contents", pdftest.File("", pdftest.Lines(72, 700, 10, "Contents", "One .......... 1", "Two .......... 3", "Three ........ 5", "Four ......... 7", "Five ........ .9")+
			pdftest.Lines(72, 400, 10, "The text begins.")), "1: The text begins.\n"},
		{"text below a table of contents", pdftest.File("", pdftest.Lines(72, 700, 10, "Contents", "One .......... 1", "Two .......... 3", "Three ........ 5", "Four ......... 7", "Five ........ .9")+
			pdftest.Lines(72, 400, 14, "Apixaban")+pdftest.Lines(72, 370, 10, "It is given:")+pdftest.Lines(72, 340, 10, "Twice a day.")), "1: Apixaban\n1: It is given:\n1: Twice a day.\n"},
		{"no PDF", "%PDF-1.4\nnothing", "error: not a readable PDF file: "},
		{"empty", "", "error: not a readable PDF file: "},
		{"pages that refer to themselves", strings.Replace(pdftest.File("", "x"), "/Kids [8", "/Kids [2", 1),
			"error: no text, only images; run OCR on it first\n"},
		{"a page that is its own parent", strings.NewReplacer("/Parent 2", "/Parent 8", "/Resources", "/Recourses").Replace(
			pdftest.File("", pdftest.Lines(72, 700, 10, "x"))), "1: x\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			document, err := Read(context.Background(), []byte(test.file), MaxTime)
			if got := shown(document, err); got != test.want && !(err != nil && strings.HasPrefix(got, test.want)) {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}

// prose is eight lines that fill a column.
func prose(word string) []string {
	var lines []string
	for n := range 8 {
		lines = append(lines, fmt.Sprintf("%c line of the %s column, of some length", 'a'+n, word))
	}
	return lines
}

// simple is a file with a string in a font of the dictionary's entries.
func simple(entries, content string) string {
	return pdftest.Page("/Font << /F 4 0 R >>", "BT /F 10 Tf 72 700 Td ("+content+") Tj ET", "<< /Type /Font "+entries+" >>")
}

var (
	table = pdftest.Lines(72, 700, 10, "Drug", "Apixaban", "Dabigatran", "Edoxaban") +
		pdftest.Lines(200, 700, 10, "Dose", "5 mg", "150 mg") + pdftest.Lines(300, 700, 10, "Interval", "12 h", "12 h", "24 h")
	ruled = "72 712 300 0.5 re f 72 695 300 0.5 re f 72 665 300 0.5 re f 72 650 300 0.5 re f " + pdftest.Lines(75, 700, 10, "Reaction") + pdftest.Lines(250, 700, 10, "How often") +
		pdftest.Lines(75, 682, 10, "Bleeding of the gums", "and of the nose") + pdftest.Lines(250, 682, 10, "Common") +
		pdftest.Lines(75, 654, 10, "Rash") + pdftest.Lines(250, 654, 10, "Rare")
)

func shown(d Document, err error) string {
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	var b strings.Builder
	if d.Title != "" {
		fmt.Fprintln(&b, d.Title)
	}
	for _, page := range d.Pages {
		for _, block := range page.Blocks {
			if block.Chrome != NotChrome {
				continue
			}
			if block.Kind == Row {
				fmt.Fprintf(&b, "%d: %s\n", page.Number, strings.Join(block.Cells, " | "))
				continue
			}
			for _, line := range block.Lines {
				fmt.Fprintf(&b, "%d: %s\n", page.Number, line.Text)
			}
		}
	}
	return b.String()
}

// TestUnreadable holds which text of drawn fonts is left out: that of codes in the order in which letters
// were first used.
func TestUnreadable(t *testing.T) {
	sentence := strings.Repeat("the nurse gives five units of insulin at noon and writes it down ", 8)
	codes, next := map[rune]byte{' ': ' '}, byte('!')
	reordered := func(r rune) rune {
		if codes[r] == 0 {
			codes[r], next = next, next+1
		}
		return rune(codes[r])
	}
	escape := strings.NewReplacer("(", "\\(", ")", "\\)", "\\", "\\\\")
	drawn := func(content, beside string) string {
		return pdftest.Page("/Font << /F 4 0 R /G 5 0 R >>",
			"BT /F 1 Tf 72 700 Td ("+escape.Replace(content)+") Tj ET BT /G 10 Tf 12 TL 72 650 Td "+beside+" ET",
			"<< /Type /Font /Subtype /Type3 /FontMatrix [1 0 0 1 0 0] /FontBBox [0 0 1 1] /FirstChar 0 /Widths ["+strings.Repeat("0.5 ", 256)+"] >>",
			"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	}
	odd := strings.Map(reordered, sentence)
	letters := len(strings.ReplaceAll(odd, " ", ""))
	for _, test := range []struct {
		name, file string
		unmapped   int
		err        error
	}{
		{"letters", drawn(sentence, "(Dose) Tj"), 0, nil},
		{"figures", drawn(strings.Repeat("12.5 + 30 = 42.5 ", 30), "(Dose) Tj"), 0, nil},
		{"codes in order of use", drawn(odd, "(Dose) Tj"), letters, nil},
		{"codes in order of use, and nothing else", drawn(odd, ""), 0, ErrNoMap},
		{"too few to be judged", drawn(odd[:150], "(Dose) Tj"), 0, nil},
		{"formulas of a readable text", drawn(odd, strings.Repeat("(The dose depends on the weight of the patient.) ' ", 40)), 0, nil},
	} {
		d, err := Read(context.Background(), []byte(test.file), MaxTime)
		if !errors.Is(err, test.err) {
			t.Errorf("%s: error %v, not %v", test.name, err, test.err)
		} else if err == nil && d.Pages[0].Unmapped != test.unmapped {
			t.Errorf("%s: %d letters are left out, not %d", test.name, d.Pages[0].Unmapped, test.unmapped)
		}
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := Read(ctx, []byte(pdftest.File("", strings.Repeat("BT ET ", 16<<20))), MaxTime); err != context.DeadlineExceeded {
		t.Errorf("got %v, want the error of the context", err)
	}
}

func TestReadWithoutChild(t *testing.T) {
	defer func(name string) { program = name }(program)
	program = ""
	if _, err := Read(context.Background(), nil, MaxTime); err == nil {
		t.Error("read without a program that can be its own child")
	}
}

// TestHeadings holds that size, weight and bookmarks make headings, and that one that nothing follows is
// text.
func TestHeadings(t *testing.T) {
	bold := strings.Replace(pdftest.Lines(72, 640, 10, "Before surgery"), "/F1", "/F2", 1)
	file := pdftest.Objects("", "<< /Type /Catalog /Pages 2 0 R /Outlines << /First << /Title (1. Known in the OUTLINE) /Dest [3 0 R /Fit] >> >> >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /F2 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >> >> >> >>",
		pdftest.Stream("", pdftest.Lines(72, 740, 18, "Apixaban")+pdftest.Lines(72, 700, 10, "The usual dose is 5 mg.")+bold+pdftest.Lines(72, 620, 10, "It is stopped.")+
			pdftest.Lines(72, 580, 10, "1. Known in the outline")+pdftest.Lines(72, 560, 10, "More text.")+pdftest.Lines(72, 500, 18, "The end")))
	document, err := Read(context.Background(), []byte(file), MaxTime)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range document.Pages[0].Blocks {
		got = append(got, fmt.Sprintf("%s %d %s", b.Kind, b.Level, b.Lines[0].Text))
	}
	want := []string{"heading 1 Apixaban", "text 0 The usual dose is 5 mg.", "heading 2 Before surgery", "text 0 It is stopped.",
		"heading 1 1. Known in the outline", "text 0 More text.", "heading 1 The end"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLabels(t *testing.T) {
	file := strings.Replace(pdftest.File("", pdftest.Lines(72, 700, 10, "a"), pdftest.Lines(72, 700, 10, "b"), pdftest.Lines(72, 700, 10, "c")),
		"/Type /Catalog", "/Type /Catalog /PageLabels << /Nums [0 << /S /r >> 2 << /S /D /P (A-) /St 7 >>] >>", 1)
	document, err := Read(context.Background(), []byte(file), MaxTime)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(document.Pages[0].Label, " ", document.Pages[1].Label, " ", document.Pages[2].Label); got != "i ii A-7" {
		t.Error(got)
	}
}

// encrypted is a file with one line, and a dictionary that says how it is encrypted.
func encrypted(dictionary string, encrypt func(number int, data string) string) string {
	return pdftest.Objects("/ID [(id) (id)] /Encrypt << /Filter /Standard "+dictionary+" >>", "<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 << /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
		pdftest.Stream("", encrypt(4, pdftest.Lines(72, 700, 10, "secret"))))
}

// TestEncrypted opens files whose user has an empty password and reports others.
func TestEncrypted(t *testing.T) {
	owner := strings.Repeat("o", 32)
	rc := func() string { // with a key of 40 bits
		sum := md5.Sum([]byte(string(passwordPadding) + owner + "\xfc\xff\xff\xff" + "id"))
		s := &security{key: sum[:5]}
		return encrypted(fmt.Sprintf("/V 1 /R 2 /P -4 /O (%s) /U <%x>", owner, applyRC4(s.key, passwordPadding)),
			func(number int, data string) string {
				return string(s.decrypt(rc4Method, reference{number, 0}, []byte(data)))
			})
	}
	newer := func(revision int) string {
		key := []byte(strings.Repeat("k", 32))
		cbc := func(key, iv, data []byte) []byte {
			block, _ := aes.NewCipher(key)
			cipher.NewCBCEncrypter(block, iv).CryptBlocks(data, data)
			return data
		}
		user := append(hashPassword(revision, []byte("validate"), nil), "validatekeysalt_"...)
		wrapped := cbc(hashPassword(revision, []byte("keysalt_"), nil), make([]byte, 16), slices.Clone(key))
		return encrypted(fmt.Sprintf("/V 5 /R %d /Length 256 /O <%x> /U <%x> /OE <%[4]x> /UE <%[4]x> /StmF /S /StrF /S /CF << /S << /CFM /AESV3 >> >>", revision, make([]byte, 48), user, wrapped),
			func(_ int, data string) string {
				padding := 16 - len(data)%16
				iv := []byte("0123456789abcdef")
				return string(iv) + string(cbc(key, iv, []byte(data+strings.Repeat(string(rune(padding)), padding))))
			})
	}
	for name, file := range map[string]string{"RC4": rc(), "AES-256": newer(6), "AES-256 of Adobe": newer(5)} {
		document, err := Read(context.Background(), []byte(file), MaxTime)
		if got := shown(document, err); got != "1: secret\n" {
			t.Errorf("%s: %s", name, got)
		}
	}
	locked := strings.Replace(rc(), "/P -4", "/P -8", 1)
	if _, err := Read(context.Background(), []byte(locked), MaxTime); err != ErrEncrypted {
		t.Errorf("with a password: %v", err)
	}
}

func TestFilters(t *testing.T) {
	for _, test := range []struct {
		filter     name
		data, want string
	}{
		{"ASCIIHexDecode", "61 62 6>", "ab`"},
		{"ASCII85Decode", "87cURD]i,\"Ebo80~>", "Hello World!"},
		{"RunLengthDecode", "\x01ab\xfec\x80", "abccc"},
		{"LZWDecode", "\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01", "-----A---B"},
		{"FlateDecode", "x\x9cKL\xaa\x01", "ab"}, // cut off
	} {
		got, ok := applyFilter(test.filter, []byte(test.data), nil, nil)
		if test.filter == "FlateDecode" {
			ok = ok && strings.HasPrefix(string(got), "ab") || len(got) == 0
			got = []byte(test.want)
		}
		if !ok || string(got) != test.want {
			t.Errorf("%s: %q", test.filter, got)
		}
	}
	rows := undoPredictor([]byte("\x01\x01\x01\x01\x02\x01\x01\x01"), dict{"Predictor": 12.0, "Columns": 3.0}, &file{})
	if fmt.Sprint(rows) != "[1 2 3 2 3 4]" {
		t.Error(rows)
	}
}

// hasControl reports whether a text holds a control character.
func hasControl(d Document) bool {
	for _, page := range d.Pages {
		for _, b := range page.Blocks {
			for _, line := range b.Lines {
				if strings.ContainsFunc(line.Text, unicode.IsControl) || !utf8.ValidString(line.Text) || line.Text == "" {
					return true
				}
			}
			if strings.ContainsFunc(strings.Join(b.Cells, ""), unicode.IsControl) {
				return true
			}
		}
	}
	return false
}

// FuzzContent follows whatever operators a page holds, in this process.
func FuzzContent(f *testing.F) {
	f.Add(pdftest.Lines(72, 700, 10, "One.", "Two-"))
	f.Add("q 2 0 0 2 10 10 cm BT /F2 10 Tf 1 Tc 2 Tw 50 Tz 3 Ts [<6BCF> -300 (a)] TJ 1 2 (b) \" (c) ' ET Q /X1 Do")
	f.Add(table)
	f.Add(ruled)
	f.Add("BT <")
	f.Fuzz(func(t *testing.T, content string) {
		in := fuzzInterpreter()
		in.run([]byte(content))
		page := Page{Blocks: in.layOut(612, 792)}
		pages := []Page{page, page, page, page}
		markChrome(pages)
		markHeadings(pages, nil)
		if hasControl(Document{Pages: pages}) {
			t.Errorf("control characters: %+v", page)
		}
	})
}

// fuzzInterpreter has the resources of [pdftest.File].
func fuzzInterpreter() *interpreter {
	f, err := openFile([]byte(pdftest.File("", "")))
	if err != nil {
		panic(err)
	}
	return &interpreter{f: f, resources: f.dict(f.pages()[0].dict["Resources"]), fonts: map[reference]*font{}, state: graphicsState{page: identity, scale: 1}}
}

// FuzzCMap decodes strings by whatever CMap a file holds.
func FuzzCMap(f *testing.F) {
	f.Add("1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <01> <00660066> endbfchar 1 beginbfrange <02> <03> <00B5> endbfrange", "\x01\x02\x03")
	f.Add("begincidrange <0000> <ffff> 0 endcidrange beginbfrange <00> <ff> [<41> /B] endbfrange", "ab")
	f.Fuzz(func(t *testing.T, cmaps, codes string) {
		m := &cmap{texts: map[code]string{}, cids: map[code]int{}}
		m.read(&file{}, []byte(cmaps), 0)
		for s := []byte(codes); len(s) > 0; {
			c := m.next(s)
			if c.length < 1 || c.length > len(s) {
				t.Fatalf("a code of %d bytes of %d", c.length, len(s))
			}
			m.text(c)
			m.cid(c)
			s = s[c.length:]
		}
	})
}

// FuzzFile reads whole small files, in this process.
func FuzzFile(f *testing.F) {
	f.Add([]byte(pdftest.File("Title", pdftest.Lines(72, 700, 10, "One."))))
	f.Add([]byte(simple("/Subtype /TrueType /Encoding << /Differences [65 /fi] >>", "A")))
	f.Add([]byte(pdftest.Objects("/Encrypt << /V 1 /R 2 /P -4 >> /ID [(a)]", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Kids [2 0 R] >>")))
	f.Fuzz(func(t *testing.T, content []byte) {
		document, err := parse(content)
		if err == nil && hasControl(document) {
			t.Errorf("control characters: %+v", document)
		}
	})
}

// FuzzFontFile reads whatever an embedded font may hold.
func FuzzFontFile(f *testing.F) {
	f.Add([]byte("%!PS-AdobeFont-1.0 /Encoding 256 array dup 65 /alpha put readonly def eexec"))
	f.Add([]byte("\x00\x01\x00\x00\x00\x01\x00\x10\x00\x00\x00\x00cmap\x00\x00\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x20\x00\x00\x00\x01\x00\x03\x00\x01\x00\x00\x00\x0c"))
	f.Add([]byte("\x01\x00\x04\x01\x00\x01\x01\x01\x02a\x00\x01\x01\x01\x02\x8b\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, content []byte) {
		readFontFile(&file{}, dict{"FontFile": &stream{dict: dict{}, raw: content}})
	})
}

// TestChildrenCannotSayTooMuch holds that a child's output is bounded however it is copied.
func TestChildrenCannotSayTooMuch(t *testing.T) {
	var out limitedBuffer
	if _, ok := any(&out).(io.ReaderFrom); ok {
		t.Error("io.Copy goes around the limit")
	}
	if _, err := out.Write(make([]byte, maxReply+1)); err == nil {
		t.Error("more than the limit is taken")
	}
}
