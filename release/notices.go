package main

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The files with the terms of what the program and the extension contain. "go test ./release -update" writes them.
const (
	programNotices   = "ThirdPartyNotices.txt"
	extensionNotices = extensionFolder + "/ThirdPartyNotices.txt"
)

// allowed are the terms, as SPDX names them, under which a part may come: those that ask for no more than notices.
var allowed = []string{
	"Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0", "FTL", "ISC", "MIT", "MIT-0", "OFL-1.1",
	"LicenseRef-patent-grant", // Go's: it gives a right more
	"LicenseRef-notice",       // a notice that asks for nothing
	notTaken,
}

// notTaken stands for terms that a part offers besides those that we take.
const notTaken = "LicenseRef-not-taken"

// reviewedTexts has a line for each text that someone has read: its fingerprint and the terms in it.
//
//go:embed reviewed.txt
var reviewedTexts string

// reviewed holds the terms of the texts that someone has read, by fingerprint.
var reviewed = func() map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(reviewedTexts) {
		line, _, _ = strings.Cut(line, "#")
		if fields := strings.Fields(line); len(fields) > 1 {
			m[fields[0]] = fields[1:]
		}
	}
	return m
}()

// copyright matches the lines that differ between texts of the same terms.
var copyright = regexp.MustCompile(`(?im)^[\s*#/-]*(copyright (\(c\)|©|[0-9]).*|all rights reserved\.?\s*)$`)

// fingerprint identifies the words of a text, whatever their case and signs, and whoever has the copyright.
func fingerprint(body string) string {
	words := strings.FieldsFunc(strings.ToLower(copyright.ReplaceAllString(body, "")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(words, " "))))[:16]
}

// licences returns the terms of a part. It fails for a part without terms, for a text that nobody has read, and for terms
// that are not allowed.
func (p part) licences() ([]string, error) {
	var licences []string
	for _, t := range p.texts {
		terms, known := reviewed[fingerprint(t.body)]
		if !known {
			return nil, fmt.Errorf("%s %s: nobody has read %s yet; read it, and add %s with its terms to release/reviewed.txt", p.name, p.version, t.file, fingerprint(t.body))
		}
		for _, term := range terms {
			if !slices.Contains(allowed, term) {
				return nil, fmt.Errorf("%s %s: %s has the terms %s, which are not allowed; do without it", p.name, p.version, t.file, term)
			}
			if !slices.Contains(licences, term) {
				licences = append(licences, term)
			}
		}
	}
	slices.Sort(licences)
	if !slices.ContainsFunc(licences, func(term string) bool { return !strings.HasPrefix(term, "LicenseRef-") }) {
		return nil, fmt.Errorf("%s %s has no licence", p.name, p.version)
	}
	return licences, nil
}

// notices returns the terms of parts as people read them: a list, then each text once.
func notices(what string, parts []part) (string, error) {
	var list, texts strings.Builder
	users := map[string][]string{} // of a text
	var order []string
	for _, p := range parts {
		licences, err := p.licences()
		if err != nil {
			return "", err
		}
		var shown []string
		for _, term := range licences {
			if !strings.HasPrefix(term, "LicenseRef-") {
				shown = append(shown, term)
			}
		}
		name := strings.TrimSpace(p.name + " " + p.version)
		fmt.Fprintf(&list, "%s: %s\n", name, strings.Join(shown, ", "))
		for _, t := range p.texts {
			if slices.Contains(reviewed[fingerprint(t.body)], notTaken) {
				continue
			}
			if users[t.body] == nil {
				order = append(order, t.body)
			}
			users[t.body] = append(users[t.body], name+", "+t.file)
		}
	}
	rule := strings.Repeat("=", 80)
	for _, body := range order {
		fmt.Fprintf(&texts, "\n%[1]s\n%[2]s\n%[1]s\n\n%[3]s\n", rule, strings.Join(users[body], "\n"), body)
	}
	return fmt.Sprintf("%s contains the software below, under the terms that follow the list.\n\n%s%s", what, list.String(), texts.String()), nil
}

// currentNotices makes the notices of the repository in folder, by their files. Those of the extension are left out if npm has not
// installed its packages.
func currentNotices(folder string) (map[string]string, error) {
	parts, err := programParts(folder, platforms)
	if err != nil {
		return nil, err
	}
	program, err := notices("The program lacuna", parts)
	if err != nil {
		return nil, err
	}
	all := map[string]string{programNotices: program}
	if _, err := os.Stat(filepath.Join(folder, extensionFolder, "node_modules")); err != nil {
		return all, nil
	}
	if parts, err = extensionParts(folder); err != nil {
		return nil, err
	}
	all[extensionNotices], err = notices("The extension for VS Code", parts)
	return all, err
}
