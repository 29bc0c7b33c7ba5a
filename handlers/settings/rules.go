package settings

import (
	"slices"
	"strings"

	"lacuna/knowledge/answer"
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
	{"privacy.audit_dir", trusted, "it writes outside the workspace"},
	{"privacy.audit_bodies", trusted, "it decides what is written down about your notes"},
	{"gate.price", trusted, "it decides which questions are answered without your sources"},
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

// A narrowing is a key that a workspace or an editor may move in one direction only.
type narrowing struct {
	key    string
	allows func(old, new any) bool
	why    string
}

var narrowings = []narrowing{
	{"offline", onlyOn, "it can only be turned on there"},
	{"privacy.audit", onlyOn, "it can only be turned on there"},
	{"privacy.redact", stricter, "it can only be made stricter there"},
	{"privacy.keep_replies", lower, "it can only be lowered there"},
	{"answer.budget", lowerBudget, "it can only be lowered there"},
	{"answer.rewrite", onlyOff, "it can only be turned off there"},
	{"answer.system", stayOffline, "it is offline already, and only you can change that"},
	{"gate.policy", alwaysSearch, "it can only be set to always there"},
	{"history.harvest", onlyOff, "it can only be turned off there"},
}

func onlyOn(old, new any) bool { return old == false || new == true }

func onlyOff(old, new any) bool { return old == true || new == false }

func alwaysSearch(old, new any) bool { return new == old || new == AlwaysSearch }

func lower(old, new any) bool { return new.(int) <= old.(int) }

// lowerBudget knows that 0 is no limit.
func lowerBudget(old, new any) bool { return old == 0 || new != 0 && lower(old, new) }

func stayOffline(old, new any) bool { return old != answer.OfflineID || new == answer.OfflineID }

func stricter(old, new any) bool {
	modes := []string{"off", "auto", "strict"}
	return slices.Index(modes, new.(string)) >= slices.Index(modes, old.(string))
}

// widens returns why a layer may not change a key's value from old to new, or "".
func widens(key string, layer Layer, old, new any) string {
	if layer != WorkspaceFile && layer != Editor {
		return ""
	}
	for _, n := range narrowings {
		if n.key == key && !n.allows(old, new) {
			return n.why
		}
	}
	return ""
}
