#!/usr/bin/env bash
# run.sh [ARGUMENT...]: compare exact search with the newest faiss and numpy that Debian packages have.
# They are unpacked into PEERS_DIR (about 400 MB, kept), not installed. Arguments go to the program: -cases "mix 100k,iid".
# The peers get passive waiting: idle threads of one that go on spinning would take a processor from the next.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=${PEERS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lacuna-peers}
root=$dir/root
if [ ! -e "$root/usr/lib/python3/dist-packages/faiss" ]; then
  "$here/../../editors/test/editors-root.sh" "$dir" python3-faiss python3-numpy python3 libopenblas0-pthread >&2
fi
triplet=$(basename "$(dirname "$(ls "$root"/usr/lib/*/libc.so.6 | head -1)")")
libraries=$root/usr/lib/$triplet/openblas-pthread:$root/usr/lib/$triplet:$root/usr/lib
loader=$(ls "$root"/usr/lib64/ld-linux-*.so.* "$root/usr/lib/$triplet"/ld-linux-*.so.* 2>/dev/null | head -1)
export PEERS_BLAS="$root/usr/lib/$triplet/openblas-pthread/libopenblas.so.0"
export PEERS_PYTHON="env PYTHONHOME=$root/usr OMP_WAIT_POLICY=PASSIVE $loader --library-path $libraries $root/usr/bin/python3 $here/peer.py"
cd "$here/../.." && exec go test ./vecmath/peers -run '^TestPeers$' -count=1 -timeout 0 -v -args "$@"
