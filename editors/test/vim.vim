" Vim end to end with one of its language clients, with the lines of the guide as its vimrc and the plugin on the runtime path:
"   CLIENT=ale WORKSPACE=copy-of-the-clinic REPORT=file vim -N -u vimrc -es --not-a-term -S vim.vim

let s:started = reltime()
let s:limit = str2float(empty($WAIT_SCALE) ? '1' : $WAIT_SCALE)

function! s:report(name, passed, extra = '') abort
  let l:line = printf('%s %s (%d ms)%s', a:passed ? 'ok  ' : 'FAIL', a:name, float2nr(1000 * reltimefloat(reltime(s:started))), a:passed ? '' : ' ' . string(a:extra))
  call writefile([l:line], $REPORT, 'a')
  if !a:passed
    cquit
  endif
endfunction

function! s:wait(name, Condition, seconds = 30) abort
  let l:begun = reltime()
  while !a:Condition() && reltimefloat(reltime(l:begun)) < a:seconds * s:limit
    sleep 20m
  endwhile
  call s:report(a:name, a:Condition(), getline(1, '$'))
endfunction

" What each client does, as a person does it: the marks of a line, the hover, the choice from the menu, the way to the source.
let s:wanted = ''
let s:menu = []
function! s:pick(titles) abort
  let s:menu = copy(a:titles)
  return indexof(a:titles, {_, title -> title =~# '^\%(\d\+) \|\[lacuna] \)\?' . s:wanted})
endfunction
function! s:preview() abort
  return join(map(filter(range(1, winnr('$')), {_, w -> getwinvar(w, '&previewwindow')}), {_, w -> join(getbufline(winbufnr(w), 1, '$'), "\n")}), "\n")
endfunction

let s:ale = {}
function! s:ale.begin() abort
  runtime autoload/ale/util.vim
  function! ale#util#Input(prompt, value, ...) abort
    let l:titles = filter(split(a:prompt, "\n"), {_, line -> line =~# '^\d\+) '})
    return s:pick(l:titles) + 1
  endfunction
  let g:ale_hover_cursor = 0 | let g:ale_floating_preview = 0 | let g:ale_hover_to_preview = 1
  doautocmd VimEnter
endfunction
function! s:ale.marks(line) abort
  let l:all = get(get(g:ale_buffer_info, bufnr(''), {}), 'loclist', [])
  return map(filter(copy(l:all), {_, d -> d.lnum == a:line}), {_, d -> [d.text, d.type ==# 'E' ? 1 : 2]})
endfunction
function! s:ale.hover() abort
  ALEHover
endfunction
function! s:ale.choose() abort
  ALECodeAction
endfunction
function! s:ale.definition() abort
  ALEGoToDefinition
endfunction

let s:vim_lsp = {}
function! s:vim_lsp.begin() abort
  let g:lsp_preview_float = 0 | let g:lsp_hover_ui = 'preview'
  runtime autoload/lsp/internal/ui/quickpick.vim
  function! lsp#internal#ui#quickpick#open(options) abort
    let l:at = s:pick(map(copy(a:options.items), {_, item -> item.title}))
    if l:at >= 0
      call timer_start(0, {-> a:options.on_accept({'items': [a:options.items[l:at]]}, 'accept')})
    endif
  endfunction
  call lsp#enable()
endfunction
function! s:vim_lsp.marks(line) abort
  let l:found = []
  for l:reply in values(lsp#internal#diagnostics#state#_get_all_diagnostics_grouped_by_server_for_uri(lsp#utils#get_buffer_uri()))
    let l:found += map(filter(copy(l:reply.params.diagnostics), {_, d -> d.range.start.line == a:line - 1}), {_, d -> [d.message, d.severity]})
  endfor
  return l:found
endfunction
function! s:vim_lsp.hover() abort
  LspHover
endfunction
function! s:vim_lsp.choose() abort
  LspCodeAction
endfunction
function! s:vim_lsp.definition() abort
  LspDefinition
endfunction

let s:lsp = {}
function! s:lsp.begin() abort
  doautocmd VimEnter
  doautocmd User LspSetup
  call LspOptionsSet({'hoverInPreview': v:true, 'usePopupInCodeAction': v:false})
endfunction
function! s:lsp.marks(line) abort
  let l:all = lsp#diag#GetDiagsForBuf(bufnr(''))
  return map(filter(copy(l:all), {_, d -> d.range.start.line == a:line - 1}), {_, d -> [d.message, d.severity]})
endfunction
function! s:lsp.hover() abort
  LspHover
endfunction
function! s:lsp.choose() abort
  let s:menu = ['asked']
  execute 'LspCodeAction' s:wanted
endfunction
function! s:lsp.definition() abort
  call listener_flush() " which a redraw does, and there is no screen
  LspGotoDefinition
endfunction

let s:client = {'ale': s:ale, 'vim-lsp': s:vim_lsp, 'lsp': s:lsp}[$CLIENT]

function! s:mark(needle) abort
  return get(s:client.marks(search('\V' . escape(a:needle, '\'), 'nw')), 0, [])
endfunction

function! s:choose(title, Done) abort
  let s:wanted = a:title
  let l:begun = reltime()
  while !a:Done() && reltimefloat(reltime(l:begun)) < 30 * s:limit
    let s:menu = []
    call s:client.choose()
    let l:asked = reltime()
    while empty(s:menu) && reltimefloat(reltime(l:asked)) < 5 | sleep 20m | endwhile
    sleep 200m
  endwhile
endfunction

let s:question = 'What is the usual dose of apixaban in atrial fibrillation?'
let s:sentence = 'The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.'
function! s:answered() abort
  return search('\V' . s:sentence, 'nw') > 0
endfunction

try
  call s:client.begin()
  execute 'edit' fnameescape($WORKSPACE . '/visit.md')
  call s:report('the note is Markdown', &filetype ==# 'markdown', &filetype)
  call s:wait('the gap of an unknown medicine is marked', {-> !empty(s:mark('starting dose of tirzepatide'))}, 60)
  let s:gap = s:mark('starting dose of tirzepatide')
  call s:report('it is named', s:gap[0] =~# 'tirzepatide', s:gap)
  call s:report('a gap is no error', s:gap[1] > 1, s:gap)
  call s:report('an answered question has no mark', empty(s:mark(s:question)), s:mark(s:question))
  let s:original = getline(1, '$')

  call search('\Vtirzepatide')
  call s:client.hover()
  call s:wait('the hover says what is missing', {-> s:preview() =~# 'tirzepatide'})
  call s:report('and what comes nearest', s:preview() =~# 'Nearest places', s:preview())
  pclose
  execute bufwinnr('visit.md') . 'wincmd w'

  call search('\Vusual dose of apixaban')
  call s:choose('Answer this question', function('s:answered'))
  call s:report('the answer is in the note', s:answered(), s:menu)
  call s:report('below its question', search('\V' . s:question, 'nw') < search('\V' . s:sentence, 'nw'))

  call search('\V' . s:sentence . '\.\*\zs, line ')
  call s:client.definition()
  call s:wait('definition opens the source', {-> expand('%:t') ==# 'apixaban.md'})
  call s:report('at the sentence', getline('.')[col('.') - 1:] =~# '^' . s:sentence, getline('.'))
  execute 'buffer' bufnr('visit.md')

  while s:answered() && undotree().seq_cur > 0 | silent undo | endwhile
  call s:report('undo takes the answer out', getline(1, '$') ==# s:original, getline(1, '$'))
catch
  call s:report('no error', 0, v:exception . ' at ' . v:throwpoint)
endtry
qall!
