package settings

import (
	"slices"
	"strings"
)

// A rule says which layers may set a key, and what to tell whoever may not.
type rule struct {
	key  string // dotted; it stands for all below it, or with * for all that end so
	from []Layer
	why  string
}

// trusted are the layers that only the user can write.
var trusted = []Layer{UserFile, Environment, Flags}

// rules is the whole of what is kept from workspaces and editors; the first that fits decides, and
// a key that none fits may be set from everywhere. Sources of a workspace have a rule of their own
// that needs the file system: they must lie inside it (see confine).
var rules = []rule{
	{"*.api_key", []Layer{Environment}, "a key does not belong in a settings file; name it with api_key_env, api_key_command or api_key_file"},
	{"model", trusted, "it decides where text is sent"},
	{"embedding", trusted, "it decides where text is sent"},
	{"rerank", trusted, "it decides where text is sent"},
	{"prompts", trusted, "it decides what a model is told"},
	{"log", trusted, "it decides what is written down about your notes, and where"},
	{"index.dir", trusted, "it writes outside the workspace"},
}

// refusal returns why a layer may not set a key, or "".
func refusal(key string, layer Layer) string {
	for _, r := range rules {
		if r.fits(key) {
			if slices.Contains(r.from, layer) {
				return ""
			}
			return r.why
		}
	}
	return ""
}

func (r rule) fits(key string) bool {
	if suffix, ok := strings.CutPrefix(r.key, "*"); ok {
		return strings.HasSuffix(key, suffix)
	}
	return key == r.key || strings.HasPrefix(key, r.key+".")
}

// narrows reports whether changing a key's value from old to new is something a workspace or an
// editor may do. Offline can be turned on by anybody, and off by the user alone.
func narrows(key string, layer Layer, old, new any) bool {
	if key != "offline" || layer != WorkspaceFile && layer != Editor {
		return true
	}
	return old == false || new == true
}
