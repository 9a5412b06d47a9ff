//! Cursors of the feed: a place of it, and how much of that row has been read.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::Fault;
use store::feed::FeedPosition;

/// Goes up when the form changes; cursors of another version are refused.
const VERSION: &str = "1";

/// Longest cursor that is looked at. Unit: characters.
const LENGTH_MAX: usize = 256;

/// A place between two events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventCursor {
    /// The row.
    pub(crate) place: FeedPosition,
    /// The last of its events that was read; `None`: all of them.
    pub(crate) index: Option<usize>,
}

impl EventCursor {
    /// The place behind a whole row.
    pub(crate) const fn behind(place: FeedPosition) -> Self {
        Self { place, index: None }
    }

    /// The opaque text: letters, digits, `-` and `_`.
    pub(crate) fn encode(&self) -> String {
        let index = self.index.map(|index| index.to_string());
        let text = format!("{VERSION}/{}/{}", self.place, index.unwrap_or_default());
        URL_SAFE_NO_PAD.encode(text)
    }

    /// Reads a cursor.
    ///
    /// # Errors
    /// `error.validation` for `field`: it is no cursor of the feed.
    pub(crate) fn decode(text: &str, field: &str) -> Result<Self, Fault> {
        let read = (text.len() <= LENGTH_MAX)
            .then(|| Self::read(text))
            .flatten();
        read.ok_or_else(|| Fault::invalid(field, "must be a cursor that listEvents gave out"))
    }

    fn read(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        // PostgreSQL takes no NUL as a parameter, and no id of a stream has anything else than visible characters.
        let text = String::from_utf8(bytes).ok()?;
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        let mut parts = text.split('/');
        let (version, place, index) = (parts.next()?, parts.next()?, parts.next()?);
        if version != VERSION || parts.next().is_some() {
            return None;
        }
        let index = match index {
            "" => None,
            index => Some(index.parse().ok()?),
        };
        Some(Self {
            place: place.parse().ok()?,
            index,
        })
    }

    /// Behind which place rows are read: one of which only a part was read comes once more.
    pub(crate) fn start(&self) -> FeedPosition {
        match self.index {
            None => self.place.clone(),
            Some(_) => self.place.right_before(),
        }
    }

    /// Whether the event at `index` of the row at `place` was read before.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(EventsOfCommitSkipped = crate::bugs::read_whole_commit)
    )]
    pub(crate) fn has_read(&self, place: &FeedPosition, index: usize) -> bool {
        *place == self.place && self.index.is_some_and(|read| index <= read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_back_to_its_event() {
        let place: FeedPosition = "1790000000000000:0190:3".parse().unwrap();
        for index in [None, Some(0), Some(12)] {
            let cursor = EventCursor {
                place: place.clone(),
                index,
            };
            assert_eq!(EventCursor::decode(&cursor.encode(), "after"), Ok(cursor));
        }
    }

    #[test]
    fn what_is_no_cursor_is_refused_without_being_repeated() {
        let encoded = [
            "1/1:a:1",
            "2/1:a:1/",
            "1/1:a/",
            "1/1:a:1/x",
            "1/1:a:1//",
            "1/1:a\0:1/",
            "1/x:a:1/",
        ];
        let mut texts: Vec<String> = encoded
            .iter()
            .map(|text| URL_SAFE_NO_PAD.encode(text))
            .collect();
        texts.extend(["", "?", "\u{1f600}"].map(str::to_owned));
        texts.push("A".repeat(300));
        for text in texts {
            let fault = EventCursor::decode(&text, "after").unwrap_err();
            assert_eq!(fault.field.as_deref(), Some("after"), "{text}");
            assert!(text.is_empty() || !fault.message.contains(&text));
        }
    }
}
