/* SPDX-License-Identifier: Apache-2.0
 *
 * What `--completion SHELL` prints. Each script does one thing: it gives the words of the line to `npu-partition
 * --complete`, and offers the lines that come back.
 */
#include <stddef.h>
#include <string.h>

#include "completion.h"

/* Bash breaks words at "=" and ":", and wants what follows the last of these. Models are offered first, and all files
 * where there is none. */
static const char bash[] =
    "# bash completion for npu-partition: eval \"$(npu-partition --completion bash)\"\n"
    "_npu_partition() {\n"
    "    local -a words\n"
    "    local line=${COMP_LINE:0:COMP_POINT} current breaks= broken= candidate\n"
    "    IFS=$' \\t\\n' read -a words <<<\"$line\"\n"
    "    [[ $line == *[[:blank:]] && $line != *\\\\[[:blank:]] ]] && words+=(\"\")\n"
    "    current=${words[${#words[@]}-1]}\n"
    "    [[ $COMP_WORDBREAKS != *=* ]] || breaks+==\n"
    "    [[ $COMP_WORDBREAKS != *:* ]] || breaks+=:\n"
    "    [[ -z $breaks ]] || broken=${current%\"${current##*[$breaks]}\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r candidate; do\n"
    "        case $candidate in\n"
    "            :folders) compopt -o filenames; _npu_partition_files -d ;;\n"
    "            :files) compopt -o filenames; _npu_partition_files -f ;;\n"
    "            :models)\n"
    "                compopt -o filenames\n"
    "                _npu_partition_files -f -X '!*.onnx'\n"
    "                _npu_partition_files -d\n"
    "                [[ ${#COMPREPLY[@]} -gt 0 ]] || _npu_partition_files -f ;;\n"
    "            *) candidate=${candidate%%$'\\t'*}; COMPREPLY+=(\"${candidate#\"$broken\"}\") ;;\n"
    "        esac\n"
    "    done < <(\"${words[0]}\" --complete \"${words[@]:1}\" 2>/dev/null)\n"
    "}\n"
    "_npu_partition_files() {\n"
    "    local name\n"
    "    while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(compgen \"$@\" -- \"${current##*=}\")\n"
    "}\n"
    "complete -F _npu_partition npu-partition\n";

static const char zsh[] =
    "#compdef npu-partition\n"
    "# zsh completion for npu-partition: eval \"$(npu-partition --completion zsh)\", after compinit\n"
    "_npu_partition() {\n"
    "    local line files\n"
    "    local -a lines candidates\n"
    "    lines=(\"${(@f)$(\"${(Q)words[1]}\" --complete \"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" \\\n"
    "        2>/dev/null)}\")\n"
    "    for line in $lines; do\n"
    "        case $line in\n"
    "            :*) files=${line#:} ;;\n"
    "            *) candidates+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( $#candidates )) && _describe npu-partition candidates\n"
    "    [[ -z $files ]] || compset -P '--*='\n"
    "    case $files in\n"
    "        models) _files -g '*.onnx(-.)' || _files ;;\n"
    "        files) _files ;;\n"
    "        folders) _files -/ ;;\n"
    "    esac\n"
    "}\n"
    "if [[ $funcstack[1] == _npu-partition ]]; then\n"
    "    _npu_partition \"$@\"\n"
    "else\n"
    "    compdef _npu_partition npu-partition\n"
    "fi\n";

static const char fish[] =
    "# fish completion for npu-partition: npu-partition --completion fish | source\n"
    "function __npu_partition_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    for line in ($words[1] --complete $words[2..-1] \"$current\" 2>/dev/null)\n"
    "        switch $line\n"
    "            case :models\n"
    "                __fish_complete_suffix .onnx\n"
    "            case :files\n"
    "                __fish_complete_path \"$current\"\n"
    "            case :folders\n"
    "                __fish_complete_directories \"$current\" ''\n"
    "            case '*'\n"
    "                printf '%s\\n' $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c npu-partition -f -a '(__npu_partition_complete)'\n";

const char *completion_script(const char *shell)
{
    static const struct {
        const char *shell, *script;
    } scripts[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
        if (strcmp(scripts[i].shell, shell) == 0)
            return scripts[i].script;
    return NULL;
}
