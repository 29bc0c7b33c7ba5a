package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/knowledge/passage"
)

// TestRecordsOfPatientsArePrivate reads XML and JSON of several kinds: a patient's record is private, what
// no reader takes is skipped with the reason.
func TestRecordsOfPatientsArePrivate(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"record.json":  `{"resourceType":"Condition","code":{"text":"Asthma"},"subject":{"reference":"Patient/1"},"note":[{"text":"Worse in spring."}]}`,
		"plan.json":    `{"resourceType":"PlanDefinition","title":"Iron","description":"Give iron to those who lack it."}`,
		"package.json": `{"name":"tool","version":"1.0.0"}`,
		"label.xml":    `<document xmlns="urn:hl7-org:v3"><component><structuredBody><component><section><text>Take with water.</text></section></component></structuredBody></component></document>`,
		"build.xml":    `<project><target name="all"/></project>`,
		"said.xml":     `<!-- lacuna: private --><article><body><p>Nobody else may read this.</p></body></article>`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Read(t.Context(), DefaultLimits(), []Source{{Name: "kb", Kind: passage.Text, Path: dir}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %s %q", filepath.Base(f.File), f.State, f.Reason)
		if len(f.Passages) > 0 {
			fmt.Fprintf(&b, " private: %v", f.Passages[0].Private)
		}
		b.WriteByte('\n')
	}
	want := `build.xml skipped "no reader for this XML (root element project)"
label.xml indexed "" private: false
package.json skipped "no reader for this JSON (neither FHIR nor CSL)"
plan.json indexed "" private: false
record.json indexed "" private: true
said.xml indexed "" private: true
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
