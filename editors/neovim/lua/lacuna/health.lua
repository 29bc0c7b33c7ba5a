-- :checkhealth lacuna
local M = {}
local health = vim.health

-- Reports each level of lacuna doctor's findings.
local tell = { ok = health.ok, note = health.warn, fault = health.error }

local function run(line, limit)
  local started, done = pcall(function() return vim.system(line, { text = true }):wait(limit) end)
  if not started then return nil, tostring(done) end
  return done
end

-- check_program looks for the program and returns its path.
local function check_program(configured)
  health.start("Lacuna: program")
  local name = type(configured.cmd) == "table" and configured.cmd[1] or nil
  if not name then
    health.error("the configuration has no cmd", { "copy editors/neovim of Lacuna again: it has an lsp/lacuna.lua" })
    return
  end
  local path = vim.fn.exepath(name)
  if path == "" then
    health.error(("%s is not there or cannot be run"):format(name), {
      "build it with: go build -o lacuna .   and put it on the PATH",
      'or name its place: vim.lsp.config("lacuna", { cmd = { "/full/path/of/lacuna", "serve" } })',
    })
    return
  end
  local done, problem = run({ path, "version", "--json" }, 10000)
  local read, version = pcall(vim.json.decode, done and done.stdout or "")
  if not done or done.code ~= 0 or not read then
    health.error(("%s does not say its version: %s"):format(path, problem or vim.trim(done.stderr)))
    return
  end
  health.ok(("%s, version %s (%s)"):format(path, version.version, version.platform))
  return path
end

local function check_neovim()
  health.start("Lacuna: Neovim")
  health.ok("Neovim " .. tostring(vim.version()))
  if vim.lsp.is_enabled and not vim.lsp.is_enabled("lacuna") then
    health.warn("the server is not started by itself", { 'add to init.lua: vim.lsp.enable("lacuna")' })
  end
  local clients = vim.lsp.get_clients({ name = "lacuna" })
  if #clients == 0 then
    health.warn("the server runs for no buffer", { "open a note (Markdown, text, Org, LaTeX or reStructuredText) and look again" })
  end
  for _, client in ipairs(clients) do
    health.ok(("running for %d buffers, folder %s, positions in %s"):format(
      vim.tbl_count(client.attached_buffers), client.config.root_dir or "(none)", client.offset_encoding))
    local reply = client:request_sync("workspace/executeCommand", { command = "lacuna.status", arguments = { { version = 1 } } }, 5000)
    for _, line in ipairs(reply and reply.result and require("lacuna.status").describe(reply.result) or {}) do health.info(line) end
  end
  return clients[1] and clients[1].config.root_dir
end

-- check_workspace reports what lacuna doctor says about settings, sources, index and models.
local function check_workspace(path, root)
  health.start("Lacuna: lacuna doctor in " .. root)
  local done, problem = run({ path, "--workspace", root, "doctor", "--json" }, 60000)
  local read, report = pcall(vim.json.decode, done and done.stdout or "")
  if not done or not read then
    health.error("lacuna doctor failed: " .. (problem or vim.trim(done.stderr)))
    return
  end
  for _, finding in ipairs(report.findings) do
    (tell[finding.state] or health.info)(("%s: %s"):format(finding.check, finding.text))
  end
end

function M.check()
  local path = check_program(vim.lsp.config.lacuna or {})
  local root = check_neovim()
  if path then check_workspace(path, root or vim.fn.getcwd()) end
end

return M
