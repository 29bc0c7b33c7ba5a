package knowledge

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// bigDesk has n passages in Markdown files of ten, indexed but without an encoder.
func bigDesk(b *testing.B, n int) *desk {
	d := &desk{t: b, sources: b.TempDir()}
	for file := range n / 10 {
		var text strings.Builder
		for section := range 10 {
			fmt.Fprintf(&text, "## Section %d\n\nNote %d has w%d and w%d in part %[1]d. It says what w%[5]d is for.\n\n", section, file, file%997, section*file%4999, file%97)
		}
		d.write(fmt.Sprintf("notes/%03d/n%06d.md", file%100, file), text.String())
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	d.options = Options{
		Dir:     filepath.Join(b.TempDir(), "index"),
		Sources: []ingest.Source{{Name: "notes", Kind: passage.Text, Path: filepath.Join(d.sources, "notes")}},
		Report: func(e Event) {
			if e.Stage == Training {
				cancel()
			}
		},
	}
	if err := d.open().Refresh(ctx); err != nil && !errors.Is(err, context.Canceled) {
		b.Fatal(err)
	}
	if got := len(d.index.Library().Passages()); got != n {
		b.Fatalf("%d passages, want %d", got, n)
	}
	d.index.state.untrained = nil
	return d
}

func BenchmarkRefreshUnchanged(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := bigDesk(b, n)
			for b.Loop() {
				if err := d.index.Refresh(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := bigDesk(b, n)
			if err := d.index.Close(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				x, err := Open(d.options)
				if err != nil || len(x.Library().Passages()) != n {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOneFileChanged(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := bigDesk(b, n)
			for i := 0; b.Loop(); i++ {
				d.write("notes/000/n000000.md", fmt.Sprintf("Turn %d.\n%s", i, strings.Repeat(" ", i%1000)))
				ctx, cancel := context.WithCancel(b.Context())
				stop := d.index.Subscribe(func(l *Library) {
					if l.Status().Passages != n {
						cancel()
					}
				})
				if err := d.index.Refresh(ctx); err != nil && !errors.Is(err, context.Canceled) {
					b.Fatal(err)
				}
				stop()
				cancel()
			}
		})
	}
}
