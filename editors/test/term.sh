# term.sh drives a terminal program through tmux as a user does. Source it; needs tmux and bash.
# It never sleeps for a fixed time: every step waits for something to appear on the screen, or to disappear.
: "${OUT:=.}"; mkdir -p "$OUT"; OUT=$(cd "$OUT" && pwd)
TERM_W=$(mktemp -d); TERM_S=$TERM_W/tmux.sock; TERM_T0=$(date +%s%N); TERM_FAILS=0; TERM_N=0
# on a slow or busy machine: WAIT_SCALE=3 makes every limit three times as long
: "${WAIT_SCALE:=1}"
T() { tmux -S "$TERM_S" -f /dev/null "$@" 2>/dev/null; }
ms() { echo $(( ($(date +%s%N)-TERM_T0)/1000000 )); }
start() { # start COMMAND-LINE: a 100x24 terminal with true colour and no user settings
  HOME=$TERM_W XDG_CONFIG_HOME=$TERM_W/cfg XDG_CACHE_HOME=$TERM_W/cache XDG_DATA_HOME=$TERM_W/data XDG_STATE_HOME=$TERM_W/state \
    TERM=xterm-256color COLORTERM=truecolor LC_ALL=C.UTF-8 T new-session -d -s e -x "${COLS:-100}" -y "${ROWS:-24}" "$1"; }
cap() { T capture-pane -p -t e; }
alive() { T has-session -t e; }
keys() { T send-keys -t e "$@"; }      # key names: Enter Escape Space C-x M-x
typed() { T send-keys -t e -l "$1"; }  # text as it is
shot() { TERM_N=$((TERM_N+1)); cap > "$OUT/$1.txt"; T capture-pane -e -p -N -t e > "$OUT/$1.ansi"; }
poll() { # poll want|gone REGEX SECONDS
  local i n=$(( $3 * 20 * WAIT_SCALE )); for ((i=0;i<n;i++)); do
    if cap | grep -qE -- "$2"; then [ "$1" = want ] && return 0; else [ "$1" = gone ] && alive && return 0; fi
    alive || return 2; sleep 0.05; done; return 1; }
pass() { echo "ok   $1 ($(ms) ms)"; }
# The first failure ends the test: later steps would pass or fail for the wrong reason.
fail() { echo "FAIL $1 ($(ms) ms)"; TERM_FAILS=$((TERM_FAILS+1)); if alive; then cap | sed 's/^/     | /'; T kill-server; else echo "     (the program has ended)"; fi; finish; }
want() { if poll want "$2" "${3:-30}"; then pass "$1"; else fail "$1"; fi; }
gone() { if poll gone "$2" "${3:-30}"; then pass "$1"; else fail "$1"; fi; }
infile_gone() { local i n=$((200*WAIT_SCALE)); for ((i=0;i<n;i++)); do grep -q -- "$2" "$3" || { pass "$1"; return; }; sleep 0.05; done; fail "$1"; }
infile() { local i n=$((200*WAIT_SCALE)); for ((i=0;i<n;i++)); do grep -q -- "$2" "$3" && { pass "$1"; return; }; sleep 0.05; done; fail "$1"; }
finish() { local i; for ((i=0;i<40;i++)); do alive || break; sleep 0.05; done; T kill-server; rm -rf "$TERM_W"
  if [ "$TERM_FAILS" = 0 ]; then echo PASS; exit 0; else echo "FAILED $TERM_FAILS"; exit 1; fi; }
# workspace copies the clinic example and makes the copy the current folder; LACUNA_CACHE_DIR separates its index from others.
workspace() { cp -R "$(dirname "${BASH_SOURCE[0]}")/../../examples/clinic" "$TERM_W/clinic" && cd "$TERM_W/clinic" || exit 1; export LACUNA_CACHE_DIR=$TERM_W/index; }
# lineof TEXT prints the number of the note's first line that holds TEXT.
lineof() { grep -nF -- "$1" visit.md | head -1 | cut -d: -f1; }
