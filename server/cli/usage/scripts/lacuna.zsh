#compdef lacuna
# Completion of lacuna for zsh. Put it as _lacuna into a folder of $fpath:
#   lacuna completion zsh > "${fpath[1]}/_lacuna"
# or, behind compinit, into ~/.zshrc:
#   source <(lacuna completion zsh)
_lacuna() {
    local line word paths command=${(Q)words[1]}
    local -a candidates
    command=${command/#\~/$HOME}
    while IFS= read -r line; do
        case $line in
        :files | :folders) paths=$line ;;
        *)
            word=${line%%$'\t'*}
            if [[ $line == *$'\t'* ]]; then word+=":${line#*$'\t'}"; fi
            candidates+=("$word")
            ;;
        esac
    done < <("$command" completion zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    if (($#candidates)); then _describe -V -t lacuna lacuna candidates; fi
    if [[ -n $paths ]]; then compset -P '--*='; fi
    case $paths in
    :files) _files ;;
    :folders) _files -/ ;;
    esac
}
if [[ ${funcstack[1]} == _lacuna ]]; then
    _lacuna "$@"
else
    compdef _lacuna lacuna
fi
