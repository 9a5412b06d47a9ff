//! The data directory: made for us alone, held by one process at a time, permanently of one mode.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use domain::caller::Mode;

/// A data directory that can't be used, in words for the operator.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Another process has it.
    #[error(
        "{dir} is in use by another pointsman (process {pid}); stop that one first, or choose another directory with --data-dir"
    )]
    InUse {
        /// The directory.
        dir: String,
        /// The other process.
        pid: String,
    },
    /// It holds data of the other mode.
    #[error(
        "{dir} holds data of {made} mode and can't be served in {asked} mode: serve it with `{command}`, or choose another directory with \
         --data-dir"
    )]
    OtherMode {
        /// The directory.
        dir: String,
        /// The mode of its data.
        made: &'static str,
        /// The mode asked for.
        asked: &'static str,
        /// The command that serves it.
        command: String,
    },
    /// A file has its name.
    #[error("{dir} is a file, not a directory: choose another one with --data-dir")]
    IsFile {
        /// The directory.
        dir: String,
    },
    /// Databases of the installation are not there.
    #[error(
        "{dir} has lost {lost}: bring the file back, or restore a backup into an empty directory (pointsman restore); an empty database in \
         its place would lose what refers to it"
    )]
    Lost {
        /// The directory.
        dir: String,
        /// What is missing.
        lost: &'static str,
    },
    /// The operating system refuses.
    #[error("{path}: {error}")]
    Io {
        /// The file or directory.
        path: String,
        /// What it says.
        error: io::Error,
    },
}

/// Where things lie in a data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDir(PathBuf);

/// The right to use a data directory; ends when dropped, or with the process.
pub struct Held {
    dir: DataDir,
    lock: File,
}

/// The files of a data directory that is served, as they were at the start.
pub struct Standing(Vec<(PathBuf, u64, u64)>);

impl Standing {
    /// Whether one of them was removed, moved, or has another in its place: what is written to it then is lost with the process.
    pub fn is_lost(&self) -> bool {
        self.0
            .iter()
            .any(|(path, device, inode)| match fs::metadata(path) {
                Ok(now) => (now.dev(), now.ino()) != (*device, *inode),
                // A directory that can't be looked into for a moment is not gone.
                Err(error) => matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ),
            })
    }
}

impl DataDir {
    /// The directory at a path; nothing is made.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The store's database.
    pub fn store(&self) -> PathBuf {
        self.0.join("store.db")
    }

    /// The vault's database.
    pub fn vault(&self) -> PathBuf {
        self.0.join("vault.db")
    }

    /// The simulator's books.
    pub fn simulator(&self) -> PathBuf {
        self.0.join("simulator.db")
    }

    /// The content of attachments.
    pub fn attachments(&self) -> PathBuf {
        self.0.join("attachments")
    }

    /// The socket through which commands talk to the server.
    pub fn socket(&self) -> PathBuf {
        self.0.join("admin.sock")
    }

    /// Makes the directory where needed and takes it for this process.
    ///
    /// # Errors
    /// [`DataDirError::InUse`] when another process has it.
    pub fn hold(&self) -> Result<Held, DataDirError> {
        self.refuse_file()?;
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.0)
            .map_err(|error| failed(&self.0, error))?;
        let path = self.lock();
        let mut options = OpenOptions::new();
        let mut lock = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|error| failed(&path, error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                let _ = lock.read_to_string(&mut pid);
                return Err(DataDirError::InUse {
                    dir: self.shown(),
                    pid: pid.trim().to_owned(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(failed(&path, error)),
        }
        // The number only helps people; without it the lock holds all the same.
        let _ = lock
            .set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| writeln!(lock, "{}", std::process::id()));
        Ok(Held {
            dir: self.clone(),
            lock,
        })
    }

    /// The mode of its data; `None` before the first start.
    pub fn mode(&self) -> Result<Option<Mode>, DataDirError> {
        self.refuse_file()?;
        let path = self.mark();
        match fs::read_to_string(&path) {
            Ok(text) => match text.trim() {
                "test" => Ok(Some(Mode::Test)),
                "live" => Ok(Some(Mode::Live)),
                // Written when the power went.
                "" => Ok(None),
                _ => Err(failed(
                    &path,
                    io::Error::other("must hold `test` or `live`"),
                )),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(&path, error)),
        }
    }

    /// Refuses data of the other mode. Returns whether it has a mode yet.
    pub fn refuse_other_mode(&self, asked: Mode) -> Result<bool, DataDirError> {
        match self.mode()? {
            Some(made) if made != asked => Err(DataDirError::OtherMode {
                dir: self.shown(),
                made: mode_name(made),
                asked: mode_name(asked),
                command: self.command(made, self.restored()?.is_some()),
            }),
            made => Ok(made.is_some()),
        }
    }

    /// The command that serves data of this mode that are here, or that are served from here.
    pub fn command(&self, mode: Mode, after_restore: bool) -> String {
        let sandbox = if mode == Mode::Test { " --sandbox" } else { "" };
        let restored = if after_restore {
            " --after-restore"
        } else {
            ""
        };
        format!(
            "pointsman serve{sandbox}{restored} --data-dir {}",
            self.shown()
        )
    }

    /// Whether a process has it, as far as one can see.
    pub fn is_held(&self) -> bool {
        let lock = File::open(self.lock());
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Whether others than the owner can look into it.
    pub fn is_open_to_others(&self) -> Result<bool, DataDirError> {
        let metadata = fs::metadata(&self.0).map_err(|error| failed(&self.0, error))?;
        Ok(metadata.permissions().mode() & 0o077 != 0)
    }

    /// Whether a server was served from here whose data are on a PostgreSQL server: without its address nothing may be begun here,
    /// least of all with its keys.
    pub fn is_of_a_server(&self) -> bool {
        self.elsewhere().exists()
    }

    /// The mark of the installation that is served from here; `None` before the first start.
    ///
    /// # Errors
    /// The operating system's.
    pub fn generation(&self) -> Result<Option<String>, DataDirError> {
        read(&self.0.join(GENERATION))
    }

    /// When the backup was taken from which the databases were restored and not served yet; in RFC 3339.
    ///
    /// # Errors
    /// The operating system's.
    pub fn restored(&self) -> Result<Option<String>, DataDirError> {
        read(&self.0.join(RESTORED))
    }

    /// Until when the installation was served from here, for each copy of it; see `app::copies::horizon`.
    ///
    /// # Errors
    /// The operating system's.
    pub fn seen(&self) -> Result<Option<String>, DataDirError> {
        read(&self.0.join(SEEN))
    }

    /// Refuses a directory that has lost one of its databases: an empty one in its place would hide that.
    ///
    /// # Errors
    /// In words for the operator.
    pub fn refuse_parts(&self) -> Result<(), DataDirError> {
        self.refuse_file()?;
        let was_served = self.generation()?.is_some();
        let lost = match (!is_missing(&self.store()), !is_missing(&self.vault())) {
            (false, false) if was_served => "store.db and vault.db",
            // The store is made first: what lies here is no start that was cut off.
            (false, true) => "store.db",
            (true, false) if was_served => "vault.db",
            // Every installation of test mode has its books: they are made before its mark is noted.
            (true, true) if was_served && self.has_lost_its_books()? => "simulator.db",
            (true, _) | (false, false) => return Ok(()),
        };
        Err(DataDirError::Lost {
            dir: self.shown(),
            lost,
        })
    }

    fn has_lost_its_books(&self) -> Result<bool, DataDirError> {
        Ok(self.mode()? == Some(Mode::Test) && is_missing(&self.simulator()))
    }

    /// # Errors
    /// There is a file in its place.
    pub fn refuse_file(&self) -> Result<(), DataDirError> {
        if self.0.is_file() {
            return Err(DataDirError::IsFile { dir: self.shown() });
        }
        Ok(())
    }

    fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }

    fn elsewhere(&self) -> PathBuf {
        self.0.join("on-postgresql")
    }

    fn mark(&self) -> PathBuf {
        self.0.join("mode")
    }

    fn shown(&self) -> String {
        self.0.display().to_string()
    }
}

impl Held {
    /// The directory.
    pub fn dir(&self) -> &DataDir {
        &self.dir
    }

    /// Refuses data of the other mode; the first call decides permanently.
    pub fn claim(&self, mode: Mode) -> Result<(), DataDirError> {
        if self.dir.refuse_other_mode(mode)? {
            return Ok(());
        }
        let path = self.dir.mark();
        fs::write(&path, format!("{}\n", mode_name(mode))).map_err(|error| failed(&path, error))
    }

    /// Notes the mark of the installation that is served from here from now on.
    ///
    /// # Errors
    /// The operating system's.
    pub fn note_generation(&self, generation: &str) -> Result<(), DataDirError> {
        keep(&self.dir.0.join(GENERATION), generation)
    }

    /// Notes that the databases here are restored ones, of this time, and not to be served like any others.
    ///
    /// # Errors
    /// The operating system's.
    pub fn note_restored(&self, made_at: &str) -> Result<(), DataDirError> {
        keep(&self.dir.0.join(RESTORED), made_at)
    }

    /// Notes until when the installation was served from here.
    ///
    /// # Errors
    /// The operating system's.
    pub fn note_seen(&self, text: &str) -> Result<(), DataDirError> {
        keep(&self.dir.0.join(SEEN), text)
    }

    /// They are served.
    ///
    /// # Errors
    /// The operating system's.
    pub fn forget_restored(&self) -> Result<(), DataDirError> {
        forget(&self.dir.0.join(RESTORED))
    }

    /// Notes that the data are on a PostgreSQL server, also where old ones lie here.
    pub fn note_server(&self) -> Result<(), DataDirError> {
        let path = self.dir.elsewhere();
        fs::write(&path, "The data are on a PostgreSQL server.\n")
            .map_err(|error| failed(&path, error))
    }

    /// Its lock and its databases, which are open, to see whether they stay.
    ///
    /// # Errors
    /// One of them is not there; the operating system's.
    pub fn standing(&self) -> Result<Standing, DataDirError> {
        let each = |path: PathBuf, file: io::Result<fs::Metadata>| match file {
            Ok(file) => Ok((path, file.dev(), file.ino())),
            Err(error) => Err(failed(&path, error)),
        };
        let (lock, store, vault) = (self.dir.lock(), self.dir.store(), self.dir.vault());
        let (stored, sealed) = (fs::metadata(&store), fs::metadata(&vault));
        let mut files = vec![
            each(lock, self.lock.metadata())?,
            each(store, stored)?,
            each(vault, sealed)?,
        ];
        let simulator = self.dir.simulator();
        if let Ok(books) = fs::metadata(&simulator) {
            files.push(each(simulator, Ok(books))?);
        }
        Ok(Standing(files))
    }

    /// The data come here.
    pub fn forget_server(&self) -> Result<(), DataDirError> {
        let path = self.dir.elsewhere();
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&path, error)),
            _ => Ok(()),
        }
    }
}

/// The mark of the installation that is served from the directory.
const GENERATION: &str = "generation";
/// When the backup was taken from which the databases were restored.
const RESTORED: &str = "restored";
/// Until when the installation was served from the directory.
const SEEN: &str = "seen";
/// In the place of a mark, where data were moved to: theirs is taken.
pub const MOVED: &str = "moved";

fn read(path: &Path) -> Result<Option<String>, DataDirError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, error)),
    }
}

/// Writes a small file so that it is there after a power cut, whole or not at all.
fn keep(path: &Path, text: &str) -> Result<(), DataDirError> {
    let write = || -> io::Result<()> {
        let aside = path.with_extension("new");
        let mut file = File::create(&aside)?;
        writeln!(file, "{text}")?;
        file.sync_all()?;
        fs::rename(&aside, path)?;
        path.parent()
            .map_or(Ok(()), |dir| File::open(dir)?.sync_all())
    };
    write().map_err(|error| failed(path, error))
}

fn forget(path: &Path) -> Result<(), DataDirError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path, error)),
        _ => Ok(()),
    }
}

/// The mode's name, as in the configuration.
pub fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Test => "test",
        Mode::Live => "live",
    }
}

/// Whether a database is not there. SQLite takes an empty file for a new database: one that had data and is empty now is lost.
pub fn is_missing(path: &Path) -> bool {
    !fs::metadata(path).is_ok_and(|file| file.len() > 0)
}

fn failed(path: &Path, error: io::Error) -> DataDirError {
    DataDirError::Io {
        path: path.display().to_string(),
        error,
    }
}

#[cfg(test)]
mod tests;
