package vocabulary

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
)

func TestLevels(t *testing.T) {
	level := func(of func(string) Level, word string) Level {
		terms := lexical.Terms(word)
		if len(terms) != 1 {
			t.Fatalf("%q has the terms %q", word, terms)
		}
		return of(terms[0])
	}
	for word, want := range map[string]Level{"colleague": Everyday, "crackles": Known, "quillgate": Rare, "apixaban": Rare} {
		if got := level(English, word); got != want {
			t.Errorf("English %q: %d, want %d", word, got, want)
		}
	}
	for word, want := range map[string]Level{"Kollege": Everyday, "Schlüssel": Everyday, "Portemonnaie": Known, "nicht": Common, "Bewohnerparkausweis": Rare} {
		if got := level(German, word); got != want {
			t.Errorf("German %q: %d, want %d", word, got, want)
		}
	}
	for word, want := range map[string]Level{"没有": Common, "公司": Everyday, "试用期": Known, "五仁月饼": Rare} {
		if got := Chinese(word); got != want {
			t.Errorf("Chinese %q: %d, want %d", word, got, want)
		}
	}
}

func TestSegment(t *testing.T) {
	for text, want := range map[string]string{
		"合同签了两年，试用期最长能多久？": "合同|签|了|两年|试用期|最长|能|多久",
		"VPN怎么配置":  "怎么|配置",
		"停車證要去哪裡辦": "停車|證|要|去|哪裡|辦",
		"":         "",
		"\xff合同":   "合同",
	} {
		var words []string
		for _, w := range Segment(text) {
			if text[w.Start:w.End] != w.Text {
				t.Errorf("%q: %q stands elsewhere", text, w.Text)
			}
			words = append(words, w.Text)
		}
		if got := strings.Join(words, "|"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func FuzzSegment(f *testing.F) {
	f.Add("合同签了两年 a 试")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, w := range Segment(text) {
			if w.Start < end || w.End <= w.Start || text[w.Start:w.End] != w.Text {
				t.Fatalf("%q: %+v after %d", text, w, end)
			}
			end = w.End
		}
	})
}

var update = flag.Bool("update", false, "write the lists")

// TestLists makes the lists from the files of a folder: english-words.10, .20 and .35 of SCOWL, de_50k.txt of
// FrequencyWords 2018, and dict.txt.small of jieba.
func TestLists(t *testing.T) {
	root := os.Getenv("LACUNA_VOCABULARY")
	if root == "" {
		t.Skip("LACUNA_VOCABULARY is unset: the folder with the lists' originals")
	}
	read := func(name string) []string {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Skipf("no originals: %v", err)
		}
		return strings.Split(strings.TrimSpace(string(content)), "\n")
	}
	lower := func(words []string) []string {
		return slices.DeleteFunc(words, func(w string) bool { return strings.ToLower(w) != w || strings.Contains(w, "'") })
	}
	en := slices.Concat([]string{"[everyday]"}, lower(read("english-words.10")), lower(read("english-words.20")),
		[]string{"[known]"}, lower(read("english-words.35")))
	var de []string
	for i, line := range read("de_50k.txt") {
		if i == 0 {
			de = append(de, "[common]")
		}
		if i == 500 {
			de = append(de, "[everyday]")
		}
		if i == 6000 {
			de = append(de, "[known]")
		}
		if word, _, _ := strings.Cut(line, " "); utf8.RuneCountInString(word) > 1 && !strings.Contains(word, "'") {
			de = append(de, word)
		}
	}
	var zh []string
	for _, line := range read("dict.txt.small") {
		word, rest, _ := strings.Cut(line, " ")
		count, kind, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(count)
		if utf8.RuneCountInString(word) <= 5 && (n >= 5 || utf8.RuneCountInString(word) == 1 && n > 0) && !strings.HasPrefix(kind, "nr") && lexical.IsHan(word) {
			zh = append(zh, word+" "+count)
		}
	}
	slices.SortStableFunc(zh, func(a, b string) int { return cmp.Compare(a, b) })
	check(t, "en.txt.gz", englishNotice, en)
	check(t, "de.txt.gz", germanNotice, de)
	check(t, "zh.txt.gz", chineseNotice, zh)
}

func check(t *testing.T, name, notice string, words []string) {
	var b bytes.Buffer
	for line := range strings.Lines(notice) {
		fmt.Fprint(&b, "# ", line)
	}
	b.WriteString("\n")
	for _, w := range words {
		b.WriteString(w + "\n")
	}
	if *update {
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if _, err := z.Write(b.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, packed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	var stored []string
	lines(name, func(line string) { stored = append(stored, line) })
	scanner := bufio.NewScanner(&b)
	var made []string
	for scanner.Scan() {
		if line := scanner.Text(); line != "" && line[0] != '#' {
			made = append(made, line)
		}
	}
	if !slices.Equal(stored, made) {
		t.Errorf("%s has %d lines, made are %d; run with -update", name, len(stored), len(made))
	}
}

const englishNotice = `English words of SCOWL, the Spell Checker Oriented Word Lists, version 2020.12.07: english-words.10 and .20
as everyday words, english-words.35 as known ones, without capitals and apostrophes.

Copyright 2000-2011 by Kevin Atkinson

Permission to use, copy, modify, distribute and sell these word lists, the associated scripts, the output created
from the scripts, and its documentation for any purpose is hereby granted without fee, provided that the above
copyright notice appears in all copies and that both that copyright notice and this permission notice appear in
supporting documentation. Kevin Atkinson makes no representations about the suitability of this array for any
purpose. It is provided "as is" without express or implied warranty.
`

const germanNotice = `German words by how often subtitles have them: the first 500 as common words, 6,000 as everyday ones, others as
known ones.
Derived from FrequencyWords (content/2018/de/de_50k.txt) by Hermit Dave, made of OpenSubtitles2018 (Lison and
Tiedemann 2016, http://www.opensubtitles.org), CC BY-SA 4.0, https://creativecommons.org/licenses/by-sa/4.0/.
This list alone is under the same licence.
`

const chineseNotice = `Chinese words with how often a corpus has them, without names of people and the rarest words. Derived from
extra_dict/dict.txt.small of jieba, under the MIT License:

Copyright (c) 2013 Sun Junyi

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`
