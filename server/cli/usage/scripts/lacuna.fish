# Completion of lacuna for fish:
#   lacuna completion fish > ~/.config/fish/completions/lacuna.fish
function __lacuna_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] completion fish -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$current"
            case :folders
                __fish_complete_directories "$current"
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c lacuna -e
complete -c lacuna -f -k -a '(__lacuna_complete)'
