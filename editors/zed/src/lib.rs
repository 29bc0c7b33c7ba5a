//! Starts `lacuna serve` for the notes of a Zed project.

use zed_extension_api::{
    self as zed,
    serde_json::{json, Value},
    settings::LspSettings,
    Command, LanguageServerId, Result, Worktree,
};

struct Lacuna;

impl zed::Extension for Lacuna {
    fn new() -> Self {
        Lacuna
    }

    /// The program is looked up on the `PATH` alone. Whoever has it elsewhere says so in `lsp.lacuna.binary`, which Zed reads
    /// itself, so that what it asks before it trusts a folder holds.
    fn language_server_command(
        &mut self,
        _server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let program = worktree.which("lacuna").ok_or(
            "Lacuna is not on the PATH: install it, or set lsp.lacuna.binary.path in your settings",
        )?;
        Ok(Command {
            command: program,
            args: vec!["serve".into()],
            env: worktree.shell_env(),
        })
    }

    /// The server asks for the section "lacuna".
    fn language_server_workspace_configuration(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        let own = LspSettings::for_worktree(server.as_ref(), worktree)?.settings;
        Ok(own.map(|settings| json!({ "lacuna": settings })))
    }
}

zed::register_extension!(Lacuna);
