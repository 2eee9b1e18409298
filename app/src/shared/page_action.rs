//! Actions of a page's buttons and links: the values of `data-action`, which the server writes and the browser reads.
//!
//! To add one: add its line here, and a match where the browser runs it.

use crate::shared::names::names;

names! {
    /// The action of a button or a link.
    PageAction {
        // Actions of all pages.
        Copy = "copy",
        CopyLink = "link",
        CopyViewLink = "link-view",
        OpenPalette = "palette",
        Find = "find",
        ToggleFilter = "filters",
        SetFilter = "filter",
        SetLevel = "level",
        ShowKeys = "keys",
        TurnTheme = "theme",
        LogOut = "log-out",
        OpenInEditor = "editor",
        TogglePanel = "panel",
        // A transcript.
        PauseOutput = "pause",
        ShowHidden = "hidden",
        ShowAll = "all",
        ShowRaw = "raw",
        LoadAgain = "load-again",
        // One session or the selected ones.
        Rename = "rename",
        Select = "select",
        Deselect = "deselect",
        SelectAll = "select-all",
        Archive = "archive",
        Unarchive = "unarchive",
        Pin = "pin",
        Unpin = "unpin",
        Delete = "delete",
        // The list of sessions.
        ClearFilters = "clear",
        MoreSessions = "more",
        FilterPeriod = "period",
        FilterOrder = "order",
        FilterShow = "show",
        ListAgain = "list-again",
        // The inbox.
        MoreAsks = "more-asks",
        Notify = "notify",
        // Folders.
        SetFolder = "set",
        ExcludeRest = "exclude-rest",
        ForgetFolder = "forget",
        // Settings.
        AddAccount = "add-account",
        AddPasskey = "add-passkey",
        UsualKeys = "usual-keys",
        ChangeKey = "remap",
        CloseDialog = "close",
        OlderAudit = "older-audit",
        RemoveType = "remove-type",
        RestoreType = "restore-type",
    }
}

impl PageAction {
    /// Returns the CSS selector of its buttons and links.
    pub fn selector(self) -> String {
        format!("[data-action={}]", self.name())
    }
}
