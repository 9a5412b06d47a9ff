//! What can be asked for.

use domain::{audit::Act, rights::Scope};
use serde::{Deserialize, Serialize};

use super::connections::ConnectionWanted;

/// A command that needs the databases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Request {
    /// Makes a team.
    TeamCreate {
        /// What people call it.
        name: String,
    },
    /// Changes a team's settings and prints them.
    TeamSet(TeamChanges),
    /// Lists teams.
    TeamList,
    /// Lets no key of a team be accepted.
    TeamClose {
        /// The team's id or name.
        team: String,
    },
    /// Lets the keys of a closed team be accepted again.
    TeamReopen {
        /// The team's id or name.
        team: String,
    },
    /// Makes an API key and prints it.
    KeyCreate(KeyWanted),
    /// Makes an API key like another one, which ends.
    KeyRotate {
        /// The other key's id.
        id: String,
        /// When that one ends, as it was written.
        old_ends: String,
        /// When the new one ends, as it was written; after as long as the other was made for when absent.
        expires: Option<String>,
    },
    /// Lists API keys, without the keys themselves.
    KeyList {
        /// The team's id or name; every team when absent.
        team: Option<String>,
    },
    /// Ends an API key.
    KeyRevoke {
        /// The key's id.
        id: String,
    },
    /// Saves a flow's document as its next version.
    FlowImport {
        /// The team's id or name; the first team when absent.
        team: Option<String>,
        /// The flow's id.
        id: String,
        /// The file that it was read from, for what is said of it.
        file: String,
        /// The document, in JSON or YAML.
        document: String,
        /// Whether it is published too.
        publish: bool,
    },
    /// Prints a flow's document.
    FlowExport {
        /// The team's id or name; the first team when absent.
        team: Option<String>,
        /// The flow's id.
        id: String,
        /// The version; the last one when absent.
        version: Option<u32>,
        /// How it is written.
        format: FlowText,
    },
    /// Lists flows.
    FlowList {
        /// The team's id or name; the first team when absent.
        team: Option<String>,
    },
    /// Lets new payments run under a version of a flow.
    FlowPublish {
        /// The team's id or name; the first team when absent.
        team: Option<String>,
        /// The flow's id.
        id: String,
        /// The version; the last one when absent.
        version: Option<u32>,
    },
    /// Lets payments that name no flow run under this one.
    FlowSetDefault {
        /// The team's id or name; the first team when absent.
        team: Option<String>,
        /// The flow's id.
        id: String,
    },
    /// Removes a flow.
    FlowDelete {
        /// The team's id or name; the first team when absent.
        team: Option<String>,
        /// The flow's id.
        id: String,
    },
    /// Says what a flow would do, without charging anything.
    FlowTry {
        /// The team's id or name; the first team when absent.
        team: Option<String>,
        /// The flow's id.
        id: String,
        /// The version; the last one when absent.
        version: Option<u32>,
        /// What the payment is, a JSON object.
        facts: String,
    },
    /// Tells a payment's story in plain words.
    Explain {
        /// The payment's id.
        payment: String,
        /// The team's id or name; every team when absent.
        team: Option<String>,
    },
    /// Does something with connections.
    Connection(ConnectionWanted),
    /// Does something with payment links.
    Link(LinkWanted),
    /// Does something with webhook endpoints.
    Webhook(WebhookWanted),
    /// Does something with guarded pages.
    Page(PageWanted),
    /// Seals every record of the vault under a new key.
    VaultRotate,
    /// Lists entries of the audit trail.
    AuditList(AuditWanted),
    /// Writes out the chains of the audit trail, a line of JSON each.
    AuditExport {
        /// The team's id or name; the whole trail when absent.
        team: Option<String>,
    },
    /// Verifies the chains in the database.
    AuditVerify {
        /// The team's id or name; the whole trail when absent.
        team: Option<String>,
        /// Whether the result is JSON.
        json: bool,
    },
    /// Records that the databases were copied.
    BackupTaken,
    /// Checks the databases.
    Check,
}

/// A key to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyWanted {
    /// The team's id or name; the first team when absent.
    pub team: Option<String>,
    /// What it may do.
    pub kind: KeyKind,
    /// What people call it.
    pub name: String,
    /// When it ends, as it was written; never when absent.
    pub expires: Option<String>,
    /// What a secret key may do; everything when there is none.
    pub scopes: Vec<Scope>,
}

/// What is to be done with a team's payment links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkWanted {
    /// The team's id or name; the first team when absent.
    pub team: Option<String>,
    /// What.
    pub act: LinkAct,
}

/// What is done with payment links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkAct {
    /// Makes one.
    Create(LinkSave),
    /// Lists them, the newest first.
    List {
        /// How many at most.
        first: u16,
    },
    /// Shows one with its payments.
    Show {
        /// The link's id.
        id: String,
    },
    /// Ends one.
    End {
        /// The link's id.
        id: String,
    },
}

/// A payment link to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkSave {
    /// How much, in minor units.
    pub amount: i64,
    /// The currency's code.
    pub currency: String,
    /// What it is for.
    pub description: Option<String>,
    /// The merchant's order.
    pub order_id: Option<String>,
    /// The flow's id; the default one when absent.
    pub flow: Option<String>,
    /// The intent's id; one of its own when absent.
    pub intent: Option<String>,
    /// When it ends, as it was written; never when absent.
    pub expires: Option<String>,
    /// Where the customer goes back to.
    pub return_url: Option<String>,
    /// Whether it is for any number of payments.
    pub many: bool,
}

/// What is to be done with a team's webhook endpoints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookWanted {
    /// The team's id or name; the first team when absent.
    pub team: Option<String>,
    /// What.
    pub act: WebhookAct,
}

/// What is done with webhook endpoints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WebhookAct {
    /// Makes or changes one.
    Save(WebhookSave),
    /// Lists them.
    List,
    /// Gives one a new secret.
    Rotate {
        /// The endpoint's id.
        id: String,
    },
    /// Removes one.
    Delete {
        /// The endpoint's id.
        id: String,
    },
    /// Sends a test to one.
    Test {
        /// The endpoint's id.
        id: String,
    },
}

/// A webhook endpoint to be made or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookSave {
    /// Its id; a new one when absent.
    pub id: Option<String>,
    /// Its address.
    pub url: String,
    /// Which events it gets; as it was, or all, when there is none.
    pub kinds: Vec<String>,
    /// Whether events are sent to it.
    pub enabled: Option<bool>,
    /// From where one that was disabled goes on.
    pub resume: Option<ResumeWord>,
}

/// What is to be done with a team's guarded pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageWanted {
    /// The team's id or name; the first team when absent.
    pub team: Option<String>,
    /// What.
    pub act: PageAct,
}

/// What is done with guarded pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageAct {
    /// Makes or changes one.
    Save {
        /// Its id; a new one when absent.
        id: Option<String>,
        /// What people call it.
        name: String,
        /// Its address.
        url: String,
    },
    /// Lists them.
    List {
        /// Whether the list is JSON.
        json: bool,
    },
    /// Removes one.
    Delete {
        /// The page's id.
        id: String,
    },
    /// Puts a script into an inventory.
    Authorise(PageScriptWanted),
    /// Takes a script out of an inventory.
    Withdraw {
        /// The page's id.
        id: String,
        /// The script's address, or its hash.
        source: String,
    },
    /// Prints headers and tags for one.
    Policy {
        /// The page's id.
        id: String,
    },
    /// Lists what browsers report of one.
    Violations {
        /// The page's id.
        id: String,
        /// Whether the list is JSON.
        json: bool,
    },
    /// Fetches one and compares it.
    Check(PageCheck),
}

/// A script to be put into the inventory of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageScriptWanted {
    /// The page's id.
    pub id: String,
    /// Its address.
    pub address: Option<String>,
    /// The hash of its content.
    pub hash: Option<String>,
    /// Why the page needs it.
    pub purpose: String,
    /// Who authorises it.
    pub by: String,
}

/// A page to be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageCheck {
    /// Its address.
    pub url: String,
    /// The id of the page whose inventory counts; that of this address when absent.
    pub page: Option<String>,
    /// Whether later looks are compared with what is found.
    pub accept: bool,
    /// Whether the result is JSON.
    pub json: bool,
}

/// From where an endpoint that was disabled goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ResumeWord {
    /// It gets everything that it missed.
    WhereItStopped,
    /// It never gets what it missed.
    FromNow,
}

/// Which entries of the audit trail are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditWanted {
    /// The team's id or name; every team and the installation when absent.
    pub team: Option<String>,
    /// From which time on, as it was written.
    pub since: Option<String>,
    /// The act.
    pub act: Option<Act>,
    /// Whether each entry is a line of JSON.
    pub json: bool,
}

/// Changes of a team's settings. What is absent, or an empty list, stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamChanges {
    /// The team's id or name; the first team when absent.
    pub team: Option<String>,
    /// What people call it.
    pub name: Option<String>,
    /// Where its logo is.
    pub logo: Option<String>,
    /// Origins whose pages may call.
    pub allowed_origins: Vec<String>,
    /// Hosts that browsers may send customers back to.
    pub return_hosts: Vec<String>,
    /// Schemes of its own apps.
    pub return_schemes: Vec<String>,
    /// Whether secret keys see fingerprints.
    pub fingerprint: Option<bool>,
    /// Settings that are as if they had never been set, by the names of their flags.
    pub clear: Vec<String>,
}

/// What an API key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum KeyKind {
    /// For a merchant's server.
    Secret,
    /// For browsers.
    Public,
}

/// How a flow is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum FlowText {
    /// For people.
    Yaml,
    /// For programs.
    Json,
}

/// A line of the answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OutputLine {
    /// To be printed.
    Say(String),
    /// The end: `None` when all went well.
    End(Option<String>),
}
