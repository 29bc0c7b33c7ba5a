# Completion of lacuna for bash. To use it in every shell, put it where bash looks for completions:
#   lacuna completion bash > ~/.local/share/bash-completion/completions/lacuna
# or, without the package bash-completion, into ~/.bashrc:
#   source <(lacuna completion bash)
_lacuna() {
    local line cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[0]/#\~/$HOME} paths=
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files | :folders) paths=$line ;;
        *) COMPREPLY+=("$line") ;;
        esac
    done < <("$command" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ $cur == = ]]; then cur=; fi
    # Without a candidate, bash completes paths by itself and knows how to quote them. An older one knows no compopt, and
    # then offers paths where there should be none.
    case $paths in
    :files) if ((${#COMPREPLY[@]})); then
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
    fi ;;
    :folders) compopt +o default -o dirnames 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
    esac
}
complete -o default -F _lacuna lacuna
