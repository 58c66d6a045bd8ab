# fish completion for npu-partition: npu-partition --completion fish | source
function __npu_partition_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] --complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :models
                __fish_complete_suffix .onnx
            case :files
                __fish_complete_path "$current"
            case :folders
                __fish_complete_directories "$current" ''
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c npu-partition -f -a '(__npu_partition_complete)'
