package messages

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// Percent returns a share in percent, rounded down, so that 100 % means all of it.
func Percent(share float64) string { return fmt.Sprintf("%d %%", int(100*share+1e-9)) }

// Number returns a number with commas between its thousands.
func Number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Count returns a number with its noun, such as "1,480 files".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Number(n) + " " + noun
}

// WhileReading says in an answer that it was written before all sources had been read.
func WhileReading(r answer.Reading) string {
	return fmt.Sprintf("%s %s of %s, %s; what they lack is not judged yet.", note.FromFiles, Number(r.Read), Count(r.Found, "file"), note.StillBeingRead)
}

// Kept says which share of the words of files is searched; empty if they have no words that are counted.
func Kept(c *ingest.Coverage) string {
	if c.Words == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s", Percent(c.Share()), Count(c.Words, "word"))
}

// Blocks counts the kinds of blocks, the most frequent first.
func Blocks(blocks map[passage.BlockKind]int) string {
	kinds := slices.SortedFunc(maps.Keys(blocks), func(a, b passage.BlockKind) int {
		return cmp.Or(cmp.Compare(blocks[b], blocks[a]), cmp.Compare(a, b))
	})
	parts := make([]string, len(kinds))
	for i, kind := range kinds {
		noun := kind.String()
		switch kind {
		case passage.Code:
			noun = "block of code"
			if blocks[kind] != 1 {
				noun = "blocks of code"
			}
			parts[i] = Number(blocks[kind]) + " " + noun
			continue
		case passage.Property:
			if blocks[kind] != 1 {
				parts[i] = Number(blocks[kind]) + " properties"
				continue
			}
		}
		parts[i] = Count(blocks[kind], noun)
	}
	return strings.Join(parts, ", ")
}

// LeftOut lists what readers left out on purpose, such as "navigation (2 places, 120 words), comments (3 places)".
func LeftOut(omitted []document.Omission) string { return omissions(omitted, false) }

// NotRead lists the content that readers could not read.
func NotRead(omitted []document.Omission) string { return omissions(omitted, true) }

func omissions(omitted []document.Omission, lost bool) string {
	var parts []string
	for _, o := range omitted {
		if o.Lost != lost {
			continue
		}
		var size []string
		between := ", "
		switch { // some are counted by their name: "scanned pages", "comments"
		case o.Count > 1 && strings.HasSuffix(o.What, "s"), o.Words == 0 && strings.HasSuffix(o.What, "s"):
			size, between = append(size, Number(o.Count)), "; " // "87, 497 words" would read as one number
		case o.Count > 1 || o.Words == 0:
			size = append(size, Count(o.Count, "place"))
		}
		if o.Words > 0 {
			size = append(size, Count(o.Words, "word"))
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", sanitise.Visible(plaintext.OneLine(o.What)), strings.Join(size, between)))
	}
	return strings.Join(parts, ", ")
}

// WhyPartly says which part of a partly read file is missing, without a full stop; empty for other files.
func WhyPartly(f *ingest.FileReport) string {
	if !f.Partly() {
		return ""
	}
	var parts []string
	if f.Words > 0 && f.Share() < ingest.PartlyBelow {
		parts = append(parts, fmt.Sprintf("%s are searched", Kept(&f.Coverage)))
	}
	reason, lost := sanitise.Visible(plaintext.OneLine(f.Reason)), NotRead(f.Omitted)
	switch {
	case reason != "":
		parts = append(parts, strings.TrimSuffix(reason, "; run OCR on it")) // the advice says so
	case lost != "":
		parts = append(parts, "not read: "+lost)
	default:
		parts = append(parts, "the other words are in no passage")
	}
	return strings.Join(parts, "; ")
}

// Advice says what the user can do about a partly read file, without a full stop; empty for other files.
func Advice(f *ingest.FileReport) string {
	if !f.Partly() {
		return ""
	}
	if f.Limited() != "" {
		return "leave other files out with exclude, or raise the limit in your own settings"
	}
	for _, o := range f.Omitted {
		for _, known := range adviceOnLost {
			if o.Lost && strings.Contains(o.What, known.word) {
				return known.advice
			}
		}
	}
	return "save it in another format, and compare: lacuna doctor --reading"
}

// adviceOnLost holds what helps against content that was not read, by a word of its name.
var adviceOnLost = []struct{ word, advice string }{
	{"scan", adviceOCR}, {"image", adviceOCR}, {"picture", adviceOCR},
	{"XFA", "open it in the program that shows the form, and print it to a new PDF"},
	{"font", "print it to a new PDF with another program, or run OCR on it"},
	{"character", "print it to a new PDF with another program, or run OCR on it"},
}

const adviceOCR = "run OCR on it, for example with ocrmypdf; with ocr.command in your settings Lacuna does it"

// textless holds the endings of files that have no text to read.
var textless = func() map[string]bool {
	endings := map[string]bool{}
	for _, ending := range strings.Fields(`
		png jpg jpeg jpe gif bmp tif tiff webp ico icns svg svgz heic heif avif psd xcf raw cr2 nef eps ai
		mp3 wav ogg oga opus flac m4a aac wma aif aiff mid midi
		mp4 m4v mov avi mkv webm wmv flv mpg mpeg ogv
		zip gz tgz bz2 tbz xz txz zst 7z rar tar jar war whl deb rpm dmg iso img cab apk
		exe dll so dylib a o lib obj bin class pyc pyd wasm msi com sys
		ttf otf woff woff2 eot pfb pfm
		db sqlite sqlite3 mdb parquet npy npz pkl pt pth onnx safetensors h5 hdf5 mat dat idx pack lock lnk ds_store`) {
		endings["."+ending] = true
	}
	return endings
}()

// OtherFiles returns up to a line each about files without text, files in formats without a reader, and files that each pattern
// excludes, such as "135 files without text: 120 .png, 15 .jpg".
func OtherFiles(t *ingest.Totals) []string {
	var lines []string
	without, unknown := map[string]int{}, map[string]int{}
	for ending, n := range t.Unread {
		group := unknown
		if textless[ending] {
			group = without
		}
		switch { // XML and JSON of other kinds are skipped for what they hold, not for their ending
		case strings.HasPrefix(ending, "this XML"):
			ending = "other XML"
		case strings.HasPrefix(ending, "this JSON"):
			ending = "other JSON"
		case !isPlainEnding(ending):
			ending = ""
		}
		group[ending] += n
	}
	if len(without) > 0 {
		lines = append(lines, endings(without, "without text"))
	}
	if len(unknown) > 0 {
		lines = append(lines, endings(unknown, "in formats that Lacuna does not read"))
	}
	for _, pattern := range slices.Sorted(maps.Keys(t.Excluded)) {
		lines = append(lines, fmt.Sprintf("%s excluded by %s", Count(t.Excluded[pattern], "file"), sanitise.Visible(plaintext.OneLine(pattern))))
	}
	return lines
}

// isPlainEnding reports whether an ending is likely to name a format, rather than being the rest of a title
// with a full stop in it.
func isPlainEnding(ending string) bool {
	return len(ending) <= 12 && !strings.ContainsFunc(ending, func(r rune) bool {
		return r != '.' && r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
}

// mostEndings bounds the endings that a line names.
const mostEndings = 8

func endings(files map[string]int, what string) string {
	order := slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		return cmp.Or(cmp.Compare(files[b], files[a]), strings.Compare(a, b))
	})
	total, rest := 0, 0
	var parts []string
	for _, ending := range order {
		total += files[ending]
		if len(parts) >= mostEndings {
			rest += files[ending]
			continue
		}
		name := ending
		if name == "" {
			name = "without an ending"
		}
		parts = append(parts, Number(files[ending])+" "+name)
	}
	if rest > 0 {
		parts = append(parts, Number(rest)+" others")
	}
	return fmt.Sprintf("%s %s: %s", Count(total, "file"), what, strings.Join(parts, ", "))
}
