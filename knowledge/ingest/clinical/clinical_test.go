package clinical

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
)

// shown returns a document as text: what it says about itself, and a line for each block with its kind,
// level and line in the file.
func shown(d document.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title %q", d.Title)
	if len(d.Aliases) > 0 {
		fmt.Fprintf(&b, " also %q", d.Aliases)
	}
	if d.Date != "" {
		fmt.Fprintf(&b, " date %s", d.Date)
	}
	if d.Personal {
		b.WriteString(" personal")
	}
	if !d.About.IsZero() {
		about, _ := json.Marshal(d.About) // of texts alone
		fmt.Fprintf(&b, " about %s", about)
	}
	b.WriteByte('\n')
	d.Link()
	for i, block := range d.Blocks {
		fmt.Fprintf(&b, "%d %s", i+1, block.Kind)
		if block.Level > 0 {
			fmt.Fprintf(&b, " %d", block.Level)
		}
		if block.Chrome != document.Content {
			fmt.Fprintf(&b, " (%s)", block.Chrome)
		}
		if block.Lead > 0 {
			fmt.Fprintf(&b, " below %d", block.Lead)
		}
		fmt.Fprintf(&b, ", line %d: %q\n", d.LineAt(block.Start), d.Text[block.Start:block.End])
	}
	for _, o := range d.Omitted {
		fmt.Fprintf(&b, "omitted %+v\n", o)
	}
	if d.Partly != "" {
		fmt.Fprintf(&b, "partly: %s\n", d.Partly)
	}
	return b.String()
}

const record = `<?xml version="1.0"?>
<ClinicalDocument xmlns="urn:hl7-org:v3">
<title>Summary of care</title><effectiveTime value="20240312101500+0100"/>
<recordTarget><patientRole><patient><name><given>Ada</given><family>Muster</family></name></patient></patientRole></recordTarget>
<author><assignedAuthor><assignedPerson><name><prefix>Dr.</prefix><given>Eva</given><family>Beispiel</family></name></assignedPerson></assignedAuthor></author>
<component><structuredBody><component><section>
<code code="48765-2" codeSystem="2.16.840.1.113883.6.1" displayName="Allergies and adverse reactions"/>
<title>Allergies</title>
<text>
 <paragraph>Penicillin:<br/>rash in 2019.</paragraph>
 <list><item>Peanuts<list><item>mild</item></list></item><item>Latex <footnote>Gloves only.</footnote></item></list>
 <table><thead><tr><th>Drug</th><th>Dose</th></tr></thead>
 <tbody><tr><td rowspan="2">Ibuprofen</td>
 <td>10<sup>3</sup> mg</td></tr>
 <tr><td>400 mg</td></tr></tbody></table>
 <renderMultiMedia referencedObject="a"/>
</text>
<entry><act><text>coded</text></act></entry>
<component><section><title>Food</title><text>None known.</text></section></component>
</section></component></structuredBody></component></ClinicalDocument>`

const drugLabel = `<document xmlns="urn:hl7-org:v3"><title>These highlights do not include all the information needed to use EXAMPLOL safely and effectively. See the full text. Initial approval: 1999</title>
<effectiveTime value="20230105"/><setId root="aa-bb"/><versionNumber value="7"/>
<component><structuredBody>
<component><section><code code="48780-1" displayName="SPL PRODUCT DATA ELEMENTS SECTION"/>
<subject><manufacturedProduct><manufacturedProduct><code code="0000-0001"/><name>Examplol</name><formCode displayName="TABLET"/>
<asEntityWithGeneric><genericMedicine><name>exampline</name></genericMedicine></asEntityWithGeneric>
<ingredient classCode="ACTIB"><quantity><numerator value="5" unit="mg"/><denominator value="1" unit="1"/></quantity><ingredientSubstance><name>EXAMPLINE</name></ingredientSubstance></ingredient>
</manufacturedProduct></manufacturedProduct></subject></section></component>
<component><section><code code="34066-1" displayName="BOXED WARNING SECTION"/><title>WARNING: FALLS</title>
<text>Stand up slowly.</text><excerpt><highlight><text>Falls (5.1)</text></highlight></excerpt></section></component>
</structuredBody></component></document>`

const study = `<!DOCTYPE article PUBLIC "-//NLM//DTD JATS v1.1//EN" "JATS.dtd">
<article xmlns:mml="http://www.w3.org/1998/Math/MathML"><front><article-meta>
<article-id pub-id-type="doi">10.1/x</article-id>
<title-group><article-title>Tea and <italic>sleep</italic><xref ref-type="fn">*</xref></article-title><alt-title>TEASLEEP</alt-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Muster</surname><given-names>A. B.</given-names></name></contrib></contrib-group>
<pub-date><day>3</day><month>5</month><year>2021</year></pub-date>
<abstract><p>Tea helps.</p></abstract></article-meta></front>
<body><sec><label>1</label><title>Methods</title><p>We gave tea<sup>1</sup> to 10<sup>3</sup> people &mdash; <inline-formula><mml:math><mml:mfrac><mml:mi>a</mml:mi><mml:mi>b</mml:mi></mml:mfrac></mml:math></inline-formula>.</p>
<table-wrap><label>Table 1</label><caption><title>Doses</title></caption><table><thead><tr><th>Tea</th><th>Cups</th></tr></thead><tbody><tr><td>Green</td><td>2</td></tr></tbody></table>
<table-wrap-foot><fn><p>Per day.</p></fn></table-wrap-foot></table-wrap>
<fig><label>Figure 1</label><caption><p>A cup.</p></caption><graphic/></fig></sec></body>
<back><ref-list><ref><mixed-citation>Somebody, 1999.</mixed-citation></ref></ref-list></back></article>`

const bundle = `{"resourceType":"Bundle","type":"collection","timestamp":"2024-03-01T10:00:00Z","entry":[
{"resource":{"resourceType":"Patient","id":"1","name":[{"given":["Ada"],"family":"Muster"}]}},
{"resource":{"resourceType":"Observation","status":"final","subject":{"reference":"Patient/1"},
"code":{"coding":[{"system":"http://loinc.org","code":"29463-7","display":"Body weight"}]},
"valueQuantity":{"value":61.5,"unit":"kg"},"effectiveDateTime":"2024-02-01"}},
{"resource":{"resourceType":"MedicationRequest","status":"active","medicationCodeableConcept":{"text":"Amoxicillin 500 mg"},
"dosageInstruction":[{"timing":{"repeat":{"frequency":3,"period":1,"periodUnit":"d"}},"doseAndRate":[{"doseQuantity":{"value":500,"unit":"mg"}}]}]}},
{"resource":{"resourceType":"Condition","text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>Asthma since 2001</p></div>"},
"code":{"text":"Asthma"},"note":[{"text":"Worse in spring."}]}},
{"resource":{"resourceType":"Claim","status":"active"}}]}`

func TestRead(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"a record", record, `title "Summary of care: Ada Muster" also ["Ada Muster"] date 2024-03-12 personal about {"authors":["Dr. Eva Beispiel"]}
1 heading 1, line 8: "Allergies"
2 paragraph (names of codes), line 7: "Allergies and adverse reactions"
3 paragraph below 2, line 10: "Penicillin:\nrash in 2019."
4 list item 1, line 11: "Peanuts"
5 list item 2 below 4, line 11: "mild"
6 list item 1, line 11: "Latex"
7 footnote, line 11: "Gloves only."
8 table header, line 12: "| Drug | Dose |"
9 table row below 8, line 13: "| Ibuprofen | 10³ mg |"
10 table row below 8, line 13: "| Ibuprofen | 400 mg |"
11 heading 2, line 19: "Food"
12 paragraph, line 19: "None known."
omitted {What:header of the document Count:1 Words:5 Lost:false}
omitted {What:pictures Count:1 Words:0 Lost:false}
omitted {What:coded entries Count:1 Words:0 Lost:false}
`},
		{"a drug label", drugLabel, `title "Examplol (exampline)" also ["Examplol" "exampline"] date 2023-01-05 about {"version":"7","page":"aa-bb"}
1 paragraph, line 1: "These highlights do not include all the information needed to use EXAMPLOL safely and effectively. See the full text. Initial approval: 1999"
2 heading 1, line 4: "Products"
3 property, line 5: "Product: Examplol (exampline); tablet; active ingredients: EXAMPLINE 5 mg; code: 0000-0001"
4 heading 1, line 9: "WARNING: FALLS"
5 paragraph (names of codes), line 9: "Boxed warning"
6 paragraph below 5, line 10: "Stand up slowly."
omitted {What:highlights, which repeat sections Count:1 Words:2 Lost:false}
`},
		{"an article", study, `title "Tea and sleep" also ["TEASLEEP"] date 2021-05-03 about {"authors":["A. B. Muster"],"page":"doi:10.1/x"}
1 heading 1, line 7: "Abstract"
2 paragraph, line 7: "Tea helps."
3 heading 1, line 8: "1 Methods"
4 paragraph, line 8: "We gave tea¹ to 10³ people — a/b ."
5 caption, line 9: "Table 1 Doses"
6 table header below 5, line 9: "| Tea | Cups |"
7 table row below 6, line 9: "| Green | 2 |"
8 footnote, line 10: "Per day."
9 caption, line 11: "Figure 1 A cup."
omitted {What:pictures Count:1 Words:0 Lost:false}
omitted {What:references Count:1 Words:2 Lost:false}
`},
		{"a bundle", bundle, `title "Patient record: Ada Muster" also ["Ada Muster"] date 2024-03-01 personal
1 heading 1, line 8: "Condition: Asthma"
2 paragraph, line 8: "Asthma since 2001"
3 property, line 9: "Note: Worse in spring."
4 heading 1, line 3: "Observations"
5 list item 1, line 3: "Body weight; Status: final; Value: 61.5 kg; Effective: 2024-02-01"
6 heading 1, line 6: "Medication requests"
7 list item 1, line 6: "Amoxicillin 500 mg; Status: active; Dosage instruction: timing 3 times per day, dose 500 mg"
omitted {What:header of the document Count:1 Words:0 Lost:false}
omitted {What:administrative and billing resources Count:1 Words:0 Lost:false}
`},
		{"the same resource in XML", `<Observation xmlns="http://hl7.org/fhir"><status value="final"/><code><text value="Pulse"/></code>
<valueQuantity><value value="60"/><unit value="/min"/></valueQuantity></Observation>`, `title "Pulse"
1 property, line 1: "Status: final"
2 property, line 2: "Value: 60 /min"
`},
		{"DocBook", `<article xmlns="http://docbook.org/ns/docbook"><info><title>Stove</title></info>
<section><title>Use</title><warning><para>Hot.</para></warning><screen>on
off</screen></section></article>`, `title "Stove"
1 heading 1, line 2: "Use"
2 admonition, line 2: "Warning"
3 paragraph below 2, line 2: "Hot."
4 code below 3, line 2: "on\noff"
`},
		{"DITA", `<concept id="a"><title>Pump</title><shortdesc>It pumps.</shortdesc><conbody><ul><li><p>First</p><p>Second</p></li></ul></conbody></concept>`, `title "Pump"
1 paragraph, line 1: "It pumps."
2 list item 1, line 1: "First"
3 paragraph 1 below 2, line 1: "Second"
`},
		{"TEI", `<TEI><teiHeader><fileDesc><titleStmt><title>Verses</title></titleStmt></fileDesc></teiHeader><text><body><div><head>One</head><lg><l>Rose</l></lg></div></body></text></TEI>`, `title "Verses"
1 heading 1, line 1: "One"
2 paragraph, line 1: "Rose"
`},
	} {
		read := ReadXML
		if test.content[0] == '{' {
			read = ReadJSON
		}
		d, err := read(context.Background(), []byte(test.content))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if got := shown(d); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestUnread(t *testing.T) {
	var unread document.Unread
	if _, err := ReadXML(context.Background(), []byte("<project><name>a</name></project>")); !errors.As(err, &unread) || err.Error() != "no reader for this XML (root element project)" {
		t.Errorf("XML: %v", err)
	}
	if _, err := ReadJSON(context.Background(), []byte(`{"name": "package"}`)); !errors.As(err, &unread) {
		t.Errorf("JSON: %v", err)
	}
}

// TestHostile reads files made to take memory, time or the stack.
func TestHostile(t *testing.T) {
	deep := strings.Repeat(`{"resourceType":"Bundle","entry":[{"resource":`, 100_000)
	for name, content := range map[string]string{
		"deep JSON":          deep,
		"a number":           `{"resourceType":"Observation","valueInteger":` + strings.Repeat("9", 1<<20) + `}`,
		"equal keys":         `{"resourceType":"Observation","resourceType":"Patient","status":"a","status":"b","status":{}}`,
		"null and lists":     `[[[]],null,{"resourceType":null,"entry":[[{"resource":[1]}]]}]`,
		"a reference itself": `{"resourceType":"Bundle","entry":[{"fullUrl":"a","resource":{"resourceType":"MedicationRequest","medicationReference":{"reference":"a"}}}]}`,
	} {
		if _, err := ReadJSON(context.Background(), []byte(content)); name == "deep JSON" && err == nil {
			t.Errorf("%s is read", name)
		}
	}
	entities := `<!DOCTYPE a [<!ENTITY b "cccccccccc"><!ENTITY d "&b;&b;&b;">]><article><body><p>&d;</p></body></article>`
	for name, content := range map[string]string{
		"deep XML":     strings.Repeat("<article>", archive.MaxDepth+1),
		"entities":     entities,
		"alternatives": `<article><body><alternatives><alternatives/></alternatives></body></article>`,
		"spans":        `<article><body><table><tr><td colspan="99999999" rowspan="99999999">a</td><td>b</td></tr>` + strings.Repeat("<tr><td/><td/></tr>", 2000) + `</table></body></article>`,
	} {
		if _, err := ReadXML(context.Background(), []byte(content)); err == nil && (name == "deep XML" || name == "entities") {
			t.Errorf("%s is read", name)
		}
	}
	full := tree{count: maxNodes}
	if _, err := full.node("p", 1); !errors.Is(err, errTooMany) {
		t.Errorf("any number of elements is held: %v", err)
	}
}

func checkDocument(t *testing.T, d document.Document) {
	t.Helper()
	last := 0
	for _, b := range d.Blocks {
		if b.Start < last || b.End <= b.Start || b.End > len(d.Text) {
			t.Fatalf("block %+v after %d in %d bytes", b, last, len(d.Text))
		}
		last = b.End
	}
	for _, r := range d.Text {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == '\u00ad' {
			t.Fatalf("character %U in %q", r, d.Text)
		}
	}
}

func FuzzXML(f *testing.F) {
	for _, seed := range []string{record, drugLabel, study, `<Bundle xmlns="http://hl7.org/fhir"><entry><resource><Patient/></resource></entry></Bundle>`, `<book><chapter><title>a</title><table><tgroup cols="2"><thead><row><entry>b</entry></row></thead></tgroup></table></chapter></book>`, `<task><taskbody><steps><step><cmd>a</cmd></step></steps></taskbody></task>`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if d, err := ReadXML(context.Background(), content); err == nil {
			checkDocument(t, d)
		}
	})
}

func FuzzFHIR(f *testing.F) {
	f.Add([]byte(bundle))
	f.Add([]byte(`{"resourceType":"Questionnaire","item":[{"text":"a","type":"group","item":[{"text":"b","answerOption":[{"valueString":"c"}]}]}]}`))
	f.Add([]byte(`{"resourceType":"PlanDefinition","action":[{"title":"a","action":[{"description":"b"}]}]}`))
	f.Add([]byte(`{"resourceType":"DocumentReference","content":[{"attachment":{"contentType":"text/plain","data":"YQoKYg=="}}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		if d, err := ReadJSON(context.Background(), content); err == nil {
			checkDocument(t, d)
		}
	})
}
