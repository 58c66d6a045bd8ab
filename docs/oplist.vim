" SPDX-License-Identifier: Apache-2.0
" Vim syntax of op lists (docs/oplist-format.md). Copy it to ~/.vim/syntax/oplist.vim, and write into
" ~/.vim/ftdetect/oplist.vim:  autocmd BufRead,BufNewFile *.ops setfiletype oplist
if exists("b:current_syntax")
  finish
endif

syntax keyword oplistHead format include target toolchain standing switches switch variant default partitioner
syntax keyword oplistHead provider option session pool precision unit decided rewriting runtime partitions fallback bodies integer-only functions layout through moved notes param cost limit gate every drop
syntax keyword oplistBlock op define row pattern failure refusal rewrites rewrite
syntax keyword oplistRule at by make early put given view scalar vector row or caveat phase class enables need refuse maybe elsewhere note advice unit use let share match of source because else fail except with unless since before
syntax keyword oplistLink among and or not in is like with for assumed unless folds missing keep stop split only single under unfed int64 above unranked unread leaving shared since before whole nodes via
syntax keyword oplistAsk static bounded const initializer qconst present quantized graph_input graph_output uniform counts_up known declared
syntax keyword oplistAsk clamped ends_unit in_unit behind_layout behind_transpose in_gemm inputs_declared captures requantizes ellipsis each it has
syntax keyword oplistAsk taken left agreed moved_input scaled_alike switch variant dtype qdtype qscales qscale qzero rank dims_over_one dim dims product first repeat counting sqrt numel value attr equation length count name
syntax keyword oplistAsk producer qproducer qsource held qheld origin qorigin casts consumers users qusers opset limit ir model_outputs nodes toolchain compiled_for compiled_sdk compiled_backend compiled_file inputs outputs
syntax keyword oplistType float32 float16 bfloat16 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
syntax keyword oplistType int4 uint4 int2 uint2 string float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz
syntax match oplistNumber "\<[0-9]\+\(\.[0-9]\+\)\?\(e-\?[0-9]\+\)\?\>"
syntax match oplistLabel "\<[A-Za-z_][A-Za-z0-9_-]*:\(\s\|$\)"
syntax region oplistSentence start=+"+ skip=+\\"+ end=+"+
syntax region oplistLiteral start=+'+ skip=+\\'+ end=+'+
syntax match oplistComment "#.*$"

highlight default link oplistHead PreProc
highlight default link oplistBlock Structure
highlight default link oplistRule Statement
highlight default link oplistLink Operator
highlight default link oplistAsk Function
highlight default link oplistType Type
highlight default link oplistNumber Number
highlight default link oplistLabel Label
highlight default link oplistSentence String
highlight default link oplistLiteral Character
highlight default link oplistComment Comment

let b:current_syntax = "oplist"
