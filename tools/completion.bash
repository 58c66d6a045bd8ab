# bash completion for npu-partition: eval "$(npu-partition --completion bash)"
_npu_partition() {
    local -a words
    local line=${COMP_LINE:0:COMP_POINT} current breaks= broken= candidate
    IFS=$' \t\n' read -a words <<<"$line"
    [[ $line == *[[:blank:]] && $line != *\\[[:blank:]] ]] && words+=("")
    current=${words[${#words[@]}-1]}
    [[ $COMP_WORDBREAKS != *=* ]] || breaks+==
    [[ $COMP_WORDBREAKS != *:* ]] || breaks+=:
    [[ -z $breaks ]] || broken=${current%"${current##*[$breaks]}"}
    COMPREPLY=()
    while IFS= read -r candidate; do
        case $candidate in
            :folders) compopt -o filenames; _npu_partition_files -d ;;
            :files) compopt -o filenames; _npu_partition_files -f ;;
            :models)
                compopt -o filenames
                _npu_partition_files -f -X '!*.onnx'
                _npu_partition_files -d
                [[ ${#COMPREPLY[@]} -gt 0 ]] || _npu_partition_files -f ;;
            *) candidate=${candidate%%$'\t'*}; COMPREPLY+=("${candidate#"$broken"}") ;;
        esac
    done < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)
}
_npu_partition_files() {
    local name
    while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen "$@" -- "${current##*=}")
}
complete -F _npu_partition npu-partition
