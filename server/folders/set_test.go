package folders

import "testing"

func TestWithin(t *testing.T) {
	tests := []struct {
		path, folder string
		want         bool
	}{
		{"/a/b/c.md", "/a/b", true},
		{"/a/b", "/a/b", true},
		{"/a/bc/d.md", "/a/b", false},
		{"/a/..b/d.md", "/a", true},
		{"/x.md", "/a", false},
		{"", "/a", false},
		{"/a", "", false},
	}
	for _, tt := range tests {
		if got := within(tt.path, tt.folder); got != tt.want {
			t.Errorf("within(%q, %q) = %v", tt.path, tt.folder, got)
		}
	}
}
