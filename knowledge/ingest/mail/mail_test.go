package mail

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/document"
)

func outline(d document.Document) string {
	var b strings.Builder
	d.Link()
	fmt.Fprintf(&b, "%s|%s|%s|%s\n", d.Title, d.Date, strings.Join(d.About.Authors, ","), d.About.Page)
	for _, block := range d.Blocks {
		fmt.Fprintf(&b, "line %d %s", d.LineAt(block.Start), block.Kind)
		if block.Level > 0 {
			fmt.Fprintf(&b, " %d", block.Level)
		}
		if block.Chrome != document.Content {
			fmt.Fprintf(&b, " (%s)", block.Chrome)
		}
		fmt.Fprintf(&b, ": %q\n", d.Text[block.Start:block.End])
	}
	for _, o := range d.Omitted {
		fmt.Fprintf(&b, "without %s: %d\n", o.What, o.Words)
	}
	return b.String()
}

const letter = "From: =?UTF-8?Q?J=C3=BCrgen?= <j@clinic.example>\nTo: staff@clinic.example\nSubject: =?utf-8?b?RG9zZQ==?= of\n iron\nDate: Mon, 2 Mar 2026 10:00:00 +0100\nMessage-ID: <1@clinic.example>\n"

func TestRead(t *testing.T) {
	head := "Dose of iron|Mon, 2 Mar 2026 10:00:00 +0100|Jürgen|1@clinic.example\nline 1 property: \"From: Jürgen <j@clinic.example>\"\nline 2 property: \"To: staff@clinic.example\"\nline 5 property: \"Date: Mon, 2 Mar 2026 10:00:00 +0100\"\n"
	for _, test := range []struct{ name, body, want string }{
		{"plain text", "\nDear all,\n\ngive 5 mg\nin the morning:\n- with water\n- before meals\n\nOn Sunday Ann wrote:\n> How much?\n> And when?\n\nJ.\n-- \nClinic\nRoad 1\n", `line 8 paragraph: "Dear all,"
line 10 paragraph: "give 5 mg in the morning:"
line 12 list item 1: "- with water"
line 13 list item 1: "- before meals"
line 15 paragraph (quoted earlier messages): "On Sunday Ann wrote: How much? And when?"
line 19 paragraph: "J."
line 20 paragraph (signatures): "-- Clinic Road 1"
`},
		{"quoted-printable Latin-1", "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nNa=EFve patients get mo=\nre than others.\n\nEnd=3D.\n", `line 10 paragraph: "Naïve patients get more than others."
line 13 paragraph: "End=."
`},
		{"format=flowed", "Content-Type: text/plain; format=flowed; delsp=yes\n\nOne sen \ntence  \ngoes on.\n From here.\n", `line 9 paragraph: "One sentence goes on. From here."
`},
		{"alternatives and attachments", "Content-Type: multipart/mixed; boundary=a\n\npreamble\n--a\nContent-Type: multipart/alternative; boundary=\"b b\"\n\n--b b\nContent-Type: text/plain\n\nSee the page.\n--b b\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>The dose is five milligrams in the =\nmorning and ten</p><p =\nclass=3Dx>milligrams at night for all.</p>\n--b b--\n" +
			"--a\nContent-Type: application/pdf; name=\"plan.pdf\"\nContent-Disposition: attachment\n\nAAAA\n--a\nContent-Type: image/png\n\nAAAA\n--a--\n", `line 21 paragraph: "The dose is five milligrams in the morning and ten"
line 23 paragraph: "milligrams at night for all."
without attachment plan.pdf: 0
without pictures: 0
`},
		{"a message in a message", "Content-Type: message/rfc822\n\nFrom: b@c.example\nSubject: Inner\n\nText.\n", `line 10 heading 1: "Inner"
line 9 property: "From: b@c.example"
line 12 paragraph: "Text."
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := Read(context.Background(), []byte(letter+test.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(head+test.want, outline(d)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestReadMailbox(t *testing.T) {
	d, err := ReadMailbox(context.Background(), []byte("From a@b.example Mon Mar  2 10:00:00 2026\n"+letter+"\nFirst.\n\n>From here on.\n\nFrom a@b.example Tue Mar  3 10:00:00 2026\nFrom: A <a@b.example>\nSubject: Two\n\nSecond.\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := `|||
line 4 heading 1: "Dose of iron"
line 2 property: "From: Jürgen <j@clinic.example>"
line 3 property: "To: staff@clinic.example"
line 6 property: "Date: Mon, 2 Mar 2026 10:00:00 +0100"
line 9 paragraph: "First."
line 11 paragraph: "From here on."
line 15 heading 1: "Two"
line 14 property: "From: A <a@b.example>"
line 17 paragraph: "Second."
`
	if diff := cmp.Diff(want, outline(d)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestHostile reads messages that would take a careless reader very long.
func TestHostile(t *testing.T) {
	nested := "Subject: a\nFrom: b\n"
	for i := range 10_000 {
		nested += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	for name, content := range map[string]string{
		"nested parts":      nested,
		"many parts":        "Subject: a\nContent-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\na\n", 200_000),
		"nested messages":   strings.Repeat("Subject: a\nFrom: b\nContent-Type: message/rfc822\n\n", 10_000),
		"one long header":   "Subject: a\n" + strings.Repeat(" b\n", 500_000) + "\nc",
		"rules":             letter + "\n" + strings.Repeat("-- \n", 300_000) + strings.Repeat("a\n", 100),
		"quotations":        letter + "\n" + strings.Repeat("a wrote:\n\n> b\n", 100_000),
		"nested quotations": letter + "\n" + strings.Repeat(">", 1_000_000),
		"pages":             "Subject: a\nContent-Type: text/html\n\n" + strings.Repeat("<div>", 1_000_000),
		"nothing":           "",
	} {
		t.Run(name, func(t *testing.T) {
			for _, read := range []func(context.Context, []byte) (document.Document, error){Read, ReadMailbox} {
				if _, err := read(context.Background(), []byte(content)); err != nil {
					t.Log(err)
				}
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(letter + "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Transfer-Encoding: quoted-printable\n\na=\nb=3D\n--a\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPHA+YQ==\n--a--\n"))
	f.Add([]byte("From a@b Mon Mar  2 10:00:00 2026\nSubject: a\nFrom: b\n\n> c\n-- \nd\n\nFrom a@b Mon Mar  2 10:00:00 2026\nSubject: e\nFrom: f\n\ng"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, read := range []func(context.Context, []byte) (document.Document, error){Read, ReadMailbox} {
			d, err := read(context.Background(), content)
			if err != nil {
				continue
			}
			end := 0
			for _, b := range d.Blocks {
				if b.Start < end || b.End <= b.Start || b.End > len(d.Text) {
					t.Fatalf("block %v behind %d in %q", b.Span, end, d.Text)
				}
				end = b.End
			}
		}
	})
}
