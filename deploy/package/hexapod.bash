# Completion of `hexapod` in bash: the program itself is asked for its commands and options, so none can be missing.
_hexapod() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} word words=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $word in [a-z]*) words+=("$word") ;; *) break ;; esac
    done
    local help
    help=$(command hexapod "${words[@]}" --help 2>/dev/null) || help=$(command hexapod "${words[0]}" --help 2>/dev/null) || return 0
    local commands options values
    commands=$(awk '/^Commands:/ {on = 1; next} /^[^ ]/ {on = 0} on && /^  [a-z]/ {print $1}' <<<"$help")
    options=$(grep -oE -- '^ +(-[a-zA-Z], )?--[a-z-]+' <<<"$help" | grep -oE -- '--[a-z-]+')
    local about
    about=$(awk -v option="$previous" '
        /^ +-/ && !/^ +- / {on = ($1 == option || $1 == option "," || $2 == option); if (on) print; next} on' <<<"$help")
    case $previous in
        --config | --into) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return 0 ;;
        -*)
            values="$commands $options"
            # An option that takes a value has it in angle brackets; without a list of values it is a file, or a word of yours.
            if [[ ${about%%$'\n'*} == *'<'* ]]; then
                values=$(sed -n -e 's/^ *- \([a-z0-9_]*\):.*/\1/p' -e 's/.*\[possible values: \(.*\)\].*/\1/p' <<<"$about" | tr ',' ' ')
                [[ $values ]] || { mapfile -t COMPREPLY < <(compgen -f -- "$current"); return 0; }
            fi ;;
        *) values="$commands $options" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
}
complete -o default -F _hexapod hexapod
