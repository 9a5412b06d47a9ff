//! From events to lines.

use std::{
    cell::RefCell,
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    Layer,
    layer::Context,
    registry::{LookupSpan, SpanRef},
};

use super::{
    ACCESS,
    flood::{Flood, Repeated},
    line::{Fields, Form, Head},
    writer::{Weight, Writer},
};
use crate::config::LogFormat;

/// Payments that a span names; a document may have many root fields.
const NAMED: usize = 4;

/// Writes a line for each event, with the fields of the spans that it is in.
pub(super) struct Lines {
    pub(super) form: Form,
    pub(super) writer: Arc<Writer>,
    pub(super) flood: Arc<Flood>,
}

/// What a span adds to each line in it.
#[derive(Default)]
struct Around {
    /// By name, in order; a name that is recorded again counts as its last value, ids of payments are gathered.
    values: Vec<(&'static str, String)>,
    /// The same as it stands in a line. Most spans end without one, so it is written when the first line is.
    fields: Option<Fields>,
}

impl Around {
    fn set(&mut self, name: &'static str, value: String) {
        self.fields = None;
        match self.values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) if name == "payment.id" => {
                if !old.contains(&value) && old.split(' ').count() < NAMED {
                    old.push(' ');
                    old.push_str(&value);
                }
            }
            Some((_, old)) => *old = value,
            None => self.values.push((name, value)),
        }
    }

    fn rendered(&mut self, format: LogFormat) -> &Fields {
        let values = &self.values;
        self.fields.get_or_insert_with(|| {
            let mut fields = Fields::default();
            for (name, value) in values {
                fields.text(format, name, format_args!("{value}"));
            }
            fields
        })
    }
}

impl Visit for Around {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.set(field.name(), format!("{value:?}"));
    }
}

/// Memory that a thread uses for one line after the other.
#[derive(Default)]
struct Scratch {
    message: String,
    fields: Fields,
    line: String,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Reads an event.
struct Reading<'a> {
    format: LogFormat,
    message: &'a mut String,
    fields: &'a mut Fields,
    /// By which lines that are alike are recognised: nothing when nobody asks.
    alike: Option<DefaultHasher>,
    has_message: bool,
}

impl Reading<'_> {
    fn note(&mut self, field: &Field, value: &dyn fmt::Display) {
        if let Some(hasher) = &mut self.alike
            && field.name().rsplit('.').next() != Some("id")
        {
            field.name().hash(hasher);
            value.to_string().hash(hasher);
        }
    }

    fn text(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        self.note(field, &value);
        if field.name() == "message" && !self.has_message {
            self.has_message = true;
            // Writing to a text does not fail.
            let _ = fmt::Write::write_fmt(self.message, value);
        } else {
            self.fields.text(self.format, field.name(), value);
        }
    }

    fn plain(&mut self, field: &Field, value: impl fmt::Display) {
        self.note(field, &value);
        self.fields.plain(self.format, field.name(), value);
    }
}

impl Visit for Reading<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.plain(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.plain(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.plain(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.plain(field, value);
        } else {
            self.text(field, format_args!("{value}"));
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field, format_args!("{value}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.text(field, format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.text(field, format_args!("{value:?}"));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut around = Around::default();
        attributes.record(&mut around);
        span.extensions_mut().insert(around);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(around) = span.extensions_mut().get_mut::<Around>() {
            values.record(around);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
            Ok(mut scratch) => self.write(event, &context, &mut scratch),
            // Logged while a value of another line is written.
            Err(_) => self.write(event, &context, &mut Scratch::default()),
        });
    }
}

impl Lines {
    fn write<S: Subscriber + for<'a> LookupSpan<'a>>(
        &self,
        event: &Event<'_>,
        context: &Context<'_, S>,
        scratch: &mut Scratch,
    ) {
        let Scratch {
            message,
            fields,
            line,
        } = scratch;
        message.clear();
        fields.clear();
        line.clear();
        let metadata = event.metadata();
        let (level, target) = (*metadata.level(), metadata.target());
        let weight = weight(level);
        let mut reading = Reading {
            format: self.form.format,
            message,
            fields,
            alike: (weight != Weight::Plain && target != ACCESS).then(DefaultHasher::new),
            has_message: false,
        };
        event.record(&mut reading);
        if let Some(mut alike) = reading.alike {
            metadata.callsite().hash(&mut alike);
            if !self.flood.admits(alike.finish(), level, target, message) {
                return;
            }
        }
        let head = Head {
            level,
            target,
            message,
        };
        self.compose(line, head, fields, context.event_span(event).as_ref());
        self.writer.take(line, weight);
    }

    fn compose<S: Subscriber + for<'a> LookupSpan<'a>>(
        &self,
        line: &mut String,
        head: Head<'_>,
        fields: &Fields,
        span: Option<&SpanRef<'_, S>>,
    ) {
        // All spans are flat here: a request's, or a job's.
        let mut extensions = span.map(SpanRef::extensions_mut);
        let around = extensions
            .as_mut()
            .and_then(|extensions| extensions.get_mut::<Around>())
            .map(|around| around.rendered(self.form.format));
        self.form.line(line, head, fields, around.into_iter());
    }
}

/// The line about lines that were not written.
pub(super) fn repeated_line(form: Form, repeated: &Repeated) -> String {
    let (mut fields, mut line) = (Fields::default(), String::new());
    fields.plain(form.format, "times", repeated.times);
    let head = Head {
        level: repeated.level,
        target: repeated.target,
        message: &format!("repeated: {}", repeated.message),
    };
    form.line(&mut line, head, &fields, std::iter::empty());
    line
}

fn weight(level: Level) -> Weight {
    match level {
        Level::ERROR => Weight::Error,
        Level::WARN => Weight::Warning,
        _ => Weight::Plain,
    }
}
