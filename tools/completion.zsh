#compdef npu-partition
# zsh completion for npu-partition: eval "$(npu-partition --completion zsh)", after compinit
_npu_partition() {
    local line files
    local -a lines candidates
    lines=("${(@f)$("${(Q)words[1]}" --complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" \
        2>/dev/null)}")
    for line in $lines; do
        case $line in
            :*) files=${line#:} ;;
            *) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    (( $#candidates )) && _describe npu-partition candidates
    [[ -z $files ]] || compset -P '--*='
    case $files in
        models) _files -g '*.onnx(-.)' || _files ;;
        files) _files ;;
        folders) _files -/ ;;
    esac
}
if [[ $funcstack[1] == _npu-partition ]]; then
    _npu_partition "$@"
else
    compdef _npu_partition npu-partition
fi
