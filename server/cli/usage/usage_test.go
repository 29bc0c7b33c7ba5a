package usage

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "write the golden files again")

// TestMain lets the program of the tests stand in for the one whose command lines a shell completes.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "completion" && os.Args[3] == "--" {
		for _, line := range example().Lines(os.Args[2], os.Args[4:]) {
			fmt.Println(line)
		}
		return
	}
	os.Exit(m.Run())
}

// example is a program with a command of each kind.
func example() Program {
	set := func(add func(f *pflag.FlagSet)) *pflag.FlagSet {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.SortFlags = false
		add(f)
		return f
	}
	return Program{
		Name: "lacuna", Version: "1.2.3", Summary: "Lacuna is an example.",
		Flags: set(func(f *pflag.FlagSet) {
			f.String("workspace", "", "the workspace's `DIR`")
			f.String("log-level", "", "log from `LEVEL` on: debug, info, warn or error")
		}),
		Commands: []Command{
			{Name: "serve", Summary: "run", Details: "Runs.", Flags: set(func(f *pflag.FlagSet) { f.Bool("stdio", false, "") })},
			{
				Name: "ask", Arguments: "[QUESTION]", Summary: "answer a question",
				Details: "Answers, and says \"no\" in C:\\docs – as\n.lacuna.toml says.\n\n  one  'a'\n  two  `b`\n\nEnds.",
				Flags: set(func(f *pflag.FlagSet) {
					f.String("system", "", "answer with the system `NAME`")
					f.StringArray("source", nil, "use the source `NAME`; may be given more than once")
					f.String("judge", "model", "judged by `WHO`: model (the role evaluator) or words")
					f.String("out", "", "write to `FILE`")
					f.Int("k", 10, "take `N`")
					f.Bool("json", false, "print JSON")
				}),
			},
			{Name: "check", Arguments: "[FILE|FOLDER…]", Summary: "check notes", Details: "Checks.", Flags: set(func(*pflag.FlagSet) {})},
			{Name: "consent", Arguments: "[list | allow HOST | forget [HOST]]", Summary: "say: who", Details: "Says.", Flags: set(func(*pflag.FlagSet) {})},
			{Name: "eval", Arguments: "search|FILE.jsonl|COMMAND", Summary: "measure", Details: "Measures.", Flags: set(func(*pflag.FlagSet) {})},
			{Name: "eval run", Arguments: "PLAN.toml", Summary: "run a plan", Details: "Runs.", Flags: set(func(f *pflag.FlagSet) { f.Bool("again", false, "ask again") })},
		},
		Values: func(flag string, given map[string]string) []string {
			switch flag {
			case "system":
				return []string{"offline", "misknow/merged", "ccsk"}
			case "source":
				return []string{"handbook", "two words", "$(reboot)", "`reboot`", "a;reboot", given["workspace"] + "x"}
			}
			return nil
		},
	}
}

// lines are command lines behind the program's name, as a person types them, and what may stand next. A person's lists
// of candidates are short: those with paths have "files" or "folders" at their end.
var lines = []struct{ typed, want string }{
	{"", "serve ask check consent eval help"},
	{"s", "serve"},
	{"zzz", ""},
	{"--", "--workspace --log-level --help"},
	{"--log-level ", "debug info warn error"},
	{"--log-level w", "warn"},
	{"--workspace ", ":folders"},
	{"--log-level debug a", "ask"},
	{"help ", "serve ask check consent eval"},
	{"help e", "eval"},
	{"help ask ", ""},
	{"serve --st", ""},
	{"ask ", ""},
	{"ask --s", "--system --source"},
	{"ask --system ", "offline misknow/merged ccsk"},
	{"ask --system mis", "misknow/merged"},
	{"ask --system ccsk --s", "--source"},
	{"ask --system=ccsk --s", "--source"},
	{"ask --source one --s", "--system --source"},
	{"ask --judge ", "model words"},
	{"ask --json --k ", ""},
	{"ask --k 3 --judge w", "words"},
	{"ask --out ", ":files"},
	{"ask why --j", "--judge --json"},
	{"ask -- --j", ""},
	{"check ", ":files"},
	{"consent ", "list allow forget"},
	{"consent f", "forget"},
	{"consent forget ", ""},
	{"eval ", "search run :files"},
	{"eval run --a", "--again"},
	{"eval run ", ":files"},
	{"ask --source ", "handbook x"}, // and no words that a shell would take apart
	{"--workspace W ask --source ", "handbook Wx"},
}

func TestComplete(t *testing.T) {
	for _, line := range lines {
		var got []string
		for _, text := range example().Lines("fish", strings.Split(line.typed, " ")) {
			word, _, _ := strings.Cut(text, "\t")
			got = append(got, word)
		}
		if strings.Join(got, " ") != line.want {
			t.Errorf("%q: got %q, want %q", line.typed, strings.Join(got, " "), line.want)
		}
	}
	if all, paths := example().Complete(nil); len(all) != 6 || paths != NoPaths {
		t.Errorf("without a word: %v, %v", all, paths)
	}
	if got := example().Lines("zsh", []string{"consent", ""}); len(got) != 3 {
		t.Errorf("got %q", got)
	}
	if got, want := example().Lines("zsh", []string{"ask", "--system=mis"}), []string{"--system=misknow/merged"}; !slices.Equal(got, want) {
		t.Errorf("joined by a sign: %q, want %q", got, want)
	}
	if got, want := example().Lines("zsh", []string{"c"}), []string{"check\tcheck notes", "consent\tsay: who"}; !slices.Equal(got, want) {
		t.Errorf("with what it is for: %q, want %q", got, want)
	}
}

func FuzzComplete(f *testing.F) {
	for _, line := range lines {
		f.Add(line.typed)
	}
	f.Add("ask --system = --source=")
	f.Fuzz(func(t *testing.T, typed string) {
		words := strings.Split(typed, " ")
		for _, shell := range Shells {
			for _, line := range example().Lines(shell, words) {
				if strings.ContainsAny(line, "\n\r\x1b") {
					t.Errorf("%s, %q: %q", shell, typed, line)
				}
			}
		}
		candidates, _ := example().Complete(words)
		for _, c := range candidates {
			if !strings.HasPrefix(c.Word, words[len(words)-1]) {
				t.Errorf("%q: %q does not go on", typed, c.Word)
			}
		}
	})
}

// TestShells has each shell that is here complete the lines by its script.
func TestShells(t *testing.T) {
	// What asks a shell for the words that it would offer. bash and fish and PowerShell are asked as they are; the functions of
	// zsh that show words need a terminal, so that they are made to print.
	asks := map[string]func(words []string) []string{
		"bash": func(words []string) []string {
			quoted := strings.Join(shellWords(words), " ")
			return []string{"bash", "--noprofile", "--norc", "-c", `compopt() { [ "$*" != "+o default -o dirnames" ] || dirs=1; [ "$*" != "+o default" ] || none=1; }
source "$SCRIPT"
COMP_WORDS=(lacuna ` + quoted + `)
COMP_CWORD=` + fmt.Sprint(len(words)) + `
[ "$(complete -p lacuna)" = "complete -o default -F _lacuna lacuna" ] || echo "not set up"
_lacuna
for word in "${COMPREPLY[@]}"; do echo "$word"; done
if [ -n "$dirs" ]; then echo :folders; elif [ -z "$none" ]; then echo :files; fi`}
		},
		"zsh": func(words []string) []string {
			quoted := strings.Join(shellWords(words), " ")
			return []string{"zsh", "-f", "-c", `compdef() { : }
compset() { : }
_describe() { for word in "${candidates[@]}"; do print -r -- "${word%%:*}"; done }
_files() { if [[ $1 == -/ ]]; then print :folders; else print :files; fi }
source "$SCRIPT"
words=(lacuna ` + quoted + `)
CURRENT=$#words
_lacuna`}
		},
		"fish": func(words []string) []string {
			return []string{"fish", "--no-config", "-c", `source $SCRIPT
function __fish_complete_path; echo :files; end
function __fish_complete_directories; echo :folders; end
complete -C 'lacuna ` + strings.Join(words, " ") + `'`}
		},
		"powershell": func(words []string) []string {
			typed := "lacuna " + strings.Join(words, " ")
			return []string{"pwsh", "-NoProfile", "-Command", `. ([ScriptBlock]::Create((Get-Content -Raw $env:SCRIPT)))
(TabExpansion2 '` + typed + `' ` + fmt.Sprint(len(typed)) + `).CompletionMatches | ForEach-Object { $_.CompletionText }`}
		},
	}
	for _, shell := range Shells {
		t.Run(shell, func(t *testing.T) {
			if runtime.GOOS == "windows" && shell != "powershell" {
				t.Skip("shells of Windows take other paths")
			}
			if _, err := exec.LookPath(asks[shell](nil)[0]); err != nil {
				t.Skip(err)
			}
			folder := t.TempDir()
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(folder, "lacuna")
			if runtime.GOOS == "windows" {
				name += ".exe"
			}
			if err := os.Symlink(self, name); err != nil {
				t.Skip(err)
			}
			script, err := Script(shell)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(path, script, 0o644); err != nil {
				t.Fatal(err)
			}
			t.Parallel()
			for _, line := range lines {
				words := strings.Split(line.typed, " ")
				argv := asks[shell](words)
				command := exec.Command(argv[0], argv[1:]...)
				command.Dir = t.TempDir() // with no files to offer
				command.Env = append(os.Environ(), "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"), "SCRIPT="+path)
				if shell == "fish" {
					command.Env = append(command.Env, "HOME="+folder)
				}
				text, err := command.Output()
				if err != nil {
					t.Fatalf("%q: %v", line.typed, err)
				}
				var got []string
				for line := range strings.Lines(string(text)) {
					word, _, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
					got = append(got, word)
				}
				want := strings.Fields(line.want)
				if shell == "bash" && len(want) > 1 { // it offers the files of an empty folder with them
					want = slices.DeleteFunc(want, func(word string) bool { return word == ":files" })
					got = slices.DeleteFunc(got, func(word string) bool { return word == ":files" })
				}
				if shell == "powershell" { // it offers paths where there is nothing else
					want = slices.DeleteFunc(want, func(word string) bool { return word[0] == ':' })
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%q: %s offers %q, want %q", line.typed, shell, got, want)
				}
			}
		})
	}
}

func shellWords(words []string) []string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, "'"+word+"'")
	}
	return quoted
}

// TestBashDividesAtSigns holds what bash is told when it has divided --flag=value.
func TestBashDividesAtSigns(t *testing.T) {
	for _, test := range []struct{ words, want string }{
		{"ask --system =", "offline misknow/merged ccsk"},
		{"ask --system = mis", "misknow/merged"},
		{"ask --system = mis --s", "--source"},
		{"ask --out = b", ":files"},
	} {
		if got := strings.Join(example().Lines("bash", strings.Split(test.words, " ")), " "); got != test.want {
			t.Errorf("%q: got %q, want %q", test.words, got, test.want)
		}
	}
}

// TestPages compares the pages of the example, and has the readers of pages that are here read them.
func TestPages(t *testing.T) {
	pages := example().Pages(time.Date(2026, 1, 2, 23, 0, 0, 0, time.UTC))
	var names []string
	for name := range pages {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := "lacuna-ask.1 lacuna-check.1 lacuna-consent.1 lacuna-eval-run.1 lacuna-eval.1 lacuna-serve.1 lacuna.1"; strings.Join(names, " ") != want {
		t.Errorf("pages %q", names)
	}
	for _, name := range []string{"lacuna.1", "lacuna-ask.1"} {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, pages[name], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), string(pages[name])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, reader := range [][]string{{"groff", "-ww", "-man", "-Tutf8", "-P-c"}, {"mandoc", "-Tlint", "-Wwarning"}} {
		t.Run(reader[0], func(t *testing.T) {
			if _, err := exec.LookPath(reader[0]); err != nil {
				t.Skip(err)
			}
			for name, page := range pages {
				command := exec.Command(reader[0], reader[1:]...)
				command.Stdin = strings.NewReader(string(page))
				var complaints strings.Builder
				command.Stderr = &complaints
				shown, err := command.Output()
				if err != nil || complaints.Len() > 0 {
					t.Errorf("%s: %v: %s%s", name, err, complaints.String(), shown)
				}
				if reader[0] != "groff" || name != "lacuna-ask.1" {
					continue
				}
				plain := strings.Join(strings.Fields(regexp.MustCompile(".\b").ReplaceAllString(string(shown), "")), " ")
				for _, want := range []string{
					`Answers, and says "no" in C:\docs – as .lacuna.toml says.`, "one 'a' two `b`", "lacuna ask [flags] [QUESTION]",
					"--system NAME answer with the system NAME", "--k N take N (default 10)", "lacuna-ask - answer a question",
				} {
					if !strings.Contains(plain, want) {
						t.Errorf("%s lacks %q:\n%s", name, want, plain)
					}
				}
			}
		})
	}
}
