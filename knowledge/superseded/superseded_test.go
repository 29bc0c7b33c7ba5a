package superseded

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge/passage"
)

// pages returns passages from lines "record | title | sections | metadata", all of one source.
func pages(lines ...string) []*passage.Passage {
	var all []*passage.Passage
	for _, line := range lines {
		fields := append(strings.Split(line, "|"), "", "", "")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		about := &passage.Metadata{}
		for _, pair := range strings.Split(fields[3], "; ") {
			name, value, _ := strings.Cut(pair, "=")
			switch name {
			case "replaces":
				about.Replaces = value
			case "by":
				about.SupersededBy = value
			case "due":
				about.ReviewDue = value
			case "version":
				about.Version = value
			}
		}
		for _, section := range strings.Split(fields[2], ",") {
			all = append(all, &passage.Passage{Source: "kb", Record: fields[0], Title: fields[1], Section: section, About: about})
		}
	}
	return all
}

func TestOf(t *testing.T) {
	today := time.Date(2026, 5, 31, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		pages []string
		want  string
	}{
		{"a page names what it replaces by its path", []string{"a/old.md | Fares 2024", "a/new.md | Fares | | replaces=old.md"}, "a/old.md replaced by Fares"},
		{"from the folder of the source", []string{"a/old.md | Fares 2024", "b/new.md | Fares | | replaces=a/old.md"}, "a/old.md replaced by Fares"},
		{"as a link of a wiki", []string{"old fares.md | Old", "new.md | Fares | | replaces=[[old fares]]"}, "old fares.md replaced by Fares"},
		{"as a link", []string{"old.md | Old", "new.md | Fares | | replaces=[the old fares](old.md)"}, "old.md replaced by Fares"},
		{"by its title", []string{"old.md | Winter fares", "new.md | Fares | | replaces=winter fares"}, "old.md replaced by Fares"},
		{"by its version", []string{"x.md | Fares | | version=1.2", "y.md | Fares | | version=2.0; replaces=1.2"}, "x.md replaced by Fares (2.0)"},
		{"a title of two pages is no name", []string{"x.md | Fares", "y.md | Fares", "z.md | New | | replaces=Fares"}, ""},
		{"nothing of that name", []string{"x.md | Fares | | replaces=the paper form"}, ""},
		{"itself", []string{"x.md | Fares | | replaces=x.md"}, ""},
		{"a page names what replaces it", []string{"old.md | Old | | by=new.md", "new.md | Fares"}, "old.md replaced by Fares"},
		{"which is not in the sources", []string{"old.md | Old | | by=Harbour rules of 2026"}, "old.md replaced by Harbour rules of 2026 (not in the sources)"},
		{"the newest of a chain", []string{"a.md | A", "b.md | B | | replaces=a.md", "c.md | C | | replaces=b.md"}, "a.md replaced by C\nb.md replaced by C"},
		{"a circle", []string{"a.md | A | | replaces=b.md", "b.md | B | | replaces=a.md"}, "b.md replaced by A"},
		{"versions in names", []string{"fares-v2.md | Fares", "fares-v10.md | Fares", "other-v3.md | Other"}, "fares-v2.md newer by Fares"},
		{"versions in other folders", []string{"a/fares-v2.md | Fares", "b/fares-v3.md | Fares"}, ""},
		{"versions in front matter", []string{"x.md | Fares | | version=1.9", "y.md | Fares | | version=1.10"}, "x.md newer by Fares (1.10)"},
		{"equal versions", []string{"x.md | Fares | | version=1", "y.md | Fares | | version=1.0", "z.md | Fares | | version=v1.0.0"}, ""},
		{"an equal version and a higher one", []string{"x.md | Fares | | version=1.0", "y.md | Fares | | version=1", "z.md | Fares | | version=1.1"}, "x.md newer by Fares (1.1)\ny.md newer by Fares (1.1)"},
		{"the newest of three", []string{"x.md | Fares | | version=3", "y.md | Fares | | version=1", "z.md | Fares | | version=2"}, "y.md newer by Fares (3)\nz.md newer by Fares (3)"},
		{"editions", []string{"x.md | Fares | | version=2nd edition", "y.md | Fares | | version=3rd edition"}, "x.md newer by Fares (3rd edition)"},
		{"editions in names", []string{"fares-2nd-edition.md | Fares", "fares-3rd-edition.md | Fares", "fares-auflage-4.md | Fares", "票价第2版.md | 票价", "票价第3版.md | 票价"}, "fares-2nd-edition.md newer by Fares\nfares-3rd-edition.md newer by Fares\n票价第2版.md newer by 票价"},
		{"a draft replaces nothing that is released", []string{"x.md | Fares | | version=2.0", "y.md | Fares | | version=2.1rc"}, ""},
		{"a release replaces its drafts", []string{"x.md | Fares | | version=2.1rc", "y.md | Fares | | version=2.1 beta 2", "z.md | Fares | | version=2.1"}, "x.md newer by Fares (2.1)\ny.md newer by Fares (2.1)"},
		{"a year and its month", []string{"x.md | Fares | | version=2024", "y.md | Fares | | version=2024-03"}, ""},
		{"months", []string{"x.md | Fares | | version=2024-03", "y.md | Fares | | version=Stand 11/2024"}, "x.md newer by Fares (Stand 11/2024)"},
		{"a number and a year", []string{"x.md | Fares | | version=3", "y.md | Fares | | version=2024"}, ""},
		{"issues and releases in names", []string{"letter-issue-3.md | Letter", "letter-issue-4.md | Letter", "release-1.md | Notes", "release-2.md | Notes"}, ""},
		{"years of one page", []string{"fares-2024.md | Fares | Adults,Dogs", "fares-2025.md | Fares | Adults,Dogs,Bicycles"}, ""},
		{"years of a page with the same sections", []string{"fares-2024.md | Fares | Adults,Dogs,Bicycles", "fares-2025.md | Fares | Adults,Dogs,Bicycles"}, "fares-2024.md newer by Fares"},
		{"years of reports", []string{"report-2024.md | Report 2024 | Storms", "report-2025.md | Report 2025 | Repairs"}, ""},
		{"days are no versions", []string{"2024-05-01.md | Monday", "2024-05-02.md | Tuesday"}, ""},
		{"a review that is due", []string{"x.md | Fares | | due=2026-05-30"}, "x.md review_due 2026-05-30"},
		{"a review that is due today", []string{"x.md | Fares | | due=2026-05-31"}, ""},
		{"a review due in a month", []string{"x.md | Fares | | due=May 2026"}, ""},
		{"a review due in a past month", []string{"x.md | Fares | | due=04/2026"}, "x.md review_due 04/2026"},
		{"a German date", []string{"x.md | Fares | | due=1.3.2026"}, "x.md review_due 1.3.2026"},
		{"a Chinese date", []string{"x.md | Fares | | due=2026年3月1日"}, "x.md review_due 2026年3月1日"},
		{"a date that is none", []string{"x.md | Fares | | due=soon"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := pages(c.pages...)
			index := New(all)
			var got []string
			for i, p := range all {
				f, ok := index.Of(p, today)
				if !ok || i > 0 && all[i-1].Record == p.Record {
					continue
				}
				line := fmt.Sprintf("%s %s %s%s", p.Record, f.Reason, map[bool]string{true: "", false: "by "}[f.Reason == Overdue], f.Name+f.Due)
				if f.By == nil && f.Name != "" {
					line += " (not in the sources)"
				}
				got = append(got, line)
			}
			if strings.Join(got, "\n") != c.want {
				t.Errorf("got %q, want %q", strings.Join(got, "\n"), c.want)
			}
		})
	}
}

// TestADayEndsWhereTheReaderIs holds that a review is due when its day is over where it is read.
func TestADayEndsWhereTheReaderIs(t *testing.T) {
	all := pages("x.md | Fares | | due=2026-05-31")
	index := New(all)
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("Kiritimati", 14*3600), time.FixedZone("Pago Pago", -11*3600)} {
		for _, c := range []struct {
			at  time.Time
			due bool
		}{
			{time.Date(2026, 5, 31, 0, 0, 0, 0, zone), false},
			{time.Date(2026, 5, 31, 23, 59, 59, 0, zone), false},
			{time.Date(2026, 6, 1, 0, 0, 0, 0, zone), true},
		} {
			if _, due := index.Of(all[0], c.at); due != c.due {
				t.Errorf("at %v due %v, want %v", c.at, due, c.due)
			}
		}
	}
}

func TestNumberOf(t *testing.T) {
	// Each line holds versions that are equal, and is above the lines before it of its group.
	for group, lines := range map[string][]string{
		"figures":  {"1|1.0|v1|V1.0.0|version 1|1st edition|first edition|1. Auflage|第1版|第一版|Rev. A", "1.1|1.1.0|v.1.1", "1.2-alpha1", "1.2-beta", "1.2rc", "1.2-rc.1|1.2 RC1", "1.2|1.2+build7", "1.2a", "1.2b", "1.10", "2|2. Auflage|Auflage 2|zweite Auflage|Ausgabe 2|2nd ed.|Edition 2|Version: 2.0", "3|3rd edition|3. Fassung|v3", "12"},
		"calendar": {"2023-11-30|20231130|30.11.2023", "2024-03|2024/03|03/2024|March 2024|Mar 2024|2024年3月|Stand 03/2024", "2024-11|2024.11", "2025|2025年|Stand 2025"},
	} {
		var before []number
		for _, line := range lines {
			var equal []number
			for text := range strings.SplitSeq(line, "|") {
				n, ok := numberOf(text)
				if !ok || n.date != (group == "calendar") {
					t.Errorf("%q: got %v, %v", text, n, ok)
					continue
				}
				for _, m := range equal {
					if n.compare(m) != 0 || m.compare(n) != 0 {
						t.Errorf("%q: %v is not equal to %v", text, n, m)
					}
				}
				for _, m := range before {
					if n.compare(m) != 1 || m.compare(n) != -1 {
						t.Errorf("%q: %v is not above %v", text, n, m)
					}
				}
				equal = append(equal, n)
			}
			before = append(before, equal...)
		}
	}
	for _, text := range []string{"", "draft", "final", "latest", "two pages", "v", "1..2", "-1", "1.x", "99999999999"} {
		if n, ok := numberOf(text); ok {
			t.Errorf("%q is read as %v", text, n)
		}
	}
}

func FuzzNew(f *testing.F) {
	f.Add("fares-v2.md", "Fares", "fares-v1.md", "2", "2026-01-01")
	f.Add("../x", "[[", "](", "v", "2026")
	f.Fuzz(func(t *testing.T, record, title, replaces, version, due string) {
		about := &passage.Metadata{Replaces: replaces, SupersededBy: title, Version: version, ReviewDue: due}
		all := []*passage.Passage{{Source: "kb", Record: record, Title: title, About: about}, {Source: "kb", Record: title, Title: record}, {Source: "kb", Record: "fares-v2.md", About: about}}
		index := New(all)
		for _, p := range all {
			if found, ok := index.Of(p, time.Unix(0, 0)); ok && found.By == p {
				t.Errorf("%q replaces itself", p.Record)
			}
		}
	})
}
