package passage

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPageLabels(t *testing.T) {
	for _, test := range []struct {
		labels []string
		ranges int
	}{
		{[]string{"", "", ""}, 0},
		{[]string{"i", "ii", "iii", "iv", "1", "2", "3"}, 2},
		{[]string{"Cover", "1", "2", "A-1", "A-2", "XIV", "XV"}, 4},
		{[]string{"", "", "7", "8"}, 2},
		{[]string{"x", "y", "z"}, 3},
		{[]string{"007", "008"}, 2},
	} {
		about := Metadata{Pages: PageLabelsOf(test.labels)}
		var got []string
		for i := range test.labels {
			got = append(got, about.PageLabel(i+1))
		}
		if diff := cmp.Diff(test.labels, got); diff != "" || len(about.Pages) != test.ranges {
			t.Errorf("%v: %d ranges, -want +got:\n%s", test.labels, len(about.Pages), diff)
		}
	}
	var long []string
	for i := range 200 {
		long = append(long, fmt.Sprintf("%c", 'a'+i%3))
	}
	if found := PageLabelsOf(long); found != nil {
		t.Errorf("labels without a rule gave %d ranges", len(found))
	}
}
