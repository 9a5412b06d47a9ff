//! What a list selects, in SQL.

use domain::{
    filter::{Condition, Fact, FieldName, Predicate, Span},
    id::TeamId,
    method::Method,
    payment::Status,
};

use super::{
    Wanted,
    ids::{self, IdRange},
};
use crate::query::Conditions;

/// The type of every payment here.
pub(super) const TYPE: &str = "PAYMENT";

/// What a field is in the table.
enum Column {
    /// The id, which holds the date.
    Date,
    /// The status, one of few texts.
    Status,
    /// The amount, which is never absent.
    Amount,
    /// A text.
    Text(&'static str),
    /// The same in every payment.
    Same(Option<&'static str>),
}

const fn column(field: FieldName) -> Column {
    match field {
        FieldName::Date | FieldName::DateRange => Column::Date,
        FieldName::Status => Column::Status,
        FieldName::Amount => Column::Amount,
        FieldName::Currency => Column::Text("currency"),
        FieldName::Method => Column::Text(METHOD),
        FieldName::Gateway => Column::Text("gateway"),
        FieldName::ConnectionId => Column::Text("connection_id"),
        FieldName::Country => Column::Text("country"),
        FieldName::FlowId => Column::Text("flow_id"),
        FieldName::CustomerId => Column::Text(CUSTOMER),
        FieldName::OrderId => Column::Text(ORDER),
        FieldName::Type => Column::Same(Some(TYPE)),
        FieldName::IntentStatus => Column::Text(INTENT_STATUS),
        // Payments have no category.
        FieldName::Category => Column::Same(None),
    }
}

const CUSTOMER: &str = "customer_id";
const ORDER: &str = "order_id";
const STATUS: &str = "status";
const METHOD: &str = "method";
/// The status of the payment's intent as it is now.
const INTENT_STATUS: &str = "(select intent.status from intent where intent.team_id = payment.team_id \
                             and intent.intent_id = payment.intent_id)";

/// How the payments of a list are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// By an index of what is asked for.
    ByIndex,
    /// By a look at all of them.
    AtAll,
}

/// What must hold for each payment of a list, with what can be decided beforehand left out.
pub(super) struct Selection {
    /// Ids are in this range, and in one of each of the lists of ranges.
    range: IdRange,
    within: Vec<Vec<IdRange>>,
    outside: Vec<IdRange>,
    statuses: Option<Vec<String>>,
    amounts: Vec<Predicate>,
    /// Indexed texts, each with the values of which it must have one.
    one_of: Vec<(&'static str, Vec<String>)>,
    texts: Vec<(&'static str, Predicate)>,
    /// Statuses, one of each of which its intent must have.
    intents: Vec<Vec<String>>,
}

/// `CARD` stands for cards of every brand.
fn with_brands(mut methods: Vec<String>) -> Vec<String> {
    if methods.iter().any(|method| method == Method::Card.code()) {
        let brands = Method::ALL.iter().filter(|method| method.is_card());
        methods.extend(brands.map(|brand| brand.code().to_owned()));
        methods.sort_unstable();
        methods.dedup();
    }
    methods
}

/// No payment can be selected.
struct Nothing;

/// An indexed column with the values that are looked for in it one by one.
#[derive(Clone, Copy)]
pub(super) struct Split<'a> {
    pub(super) column: &'static str,
    pub(super) values: &'a [String],
}

impl Selection {
    /// What is wanted; `None` when no payment can be.
    pub(super) fn of(wanted: &Wanted) -> Option<Self> {
        let mut selection = Self {
            range: wanted
                .id
                .map_or(IdRange::ALL, |id| IdRange::only(&id.key())),
            within: Vec::new(),
            outside: Vec::new(),
            statuses: None,
            amounts: Vec::new(),
            one_of: Vec::new(),
            texts: Vec::new(),
            intents: Vec::new(),
        };
        for condition in &wanted.conditions {
            selection.add(condition).ok()?;
        }
        Some(selection)
    }

    fn add(&mut self, condition: &Condition) -> Result<(), Nothing> {
        let predicate = condition.predicate();
        match column(condition.field()) {
            Column::Date => self.add_date(predicate),
            Column::Status => self.add_status(&predicate),
            Column::Amount => self.add_amount(predicate),
            Column::Text(column) => self.add_text(column, predicate),
            Column::Same(text) => {
                if predicate.matches(text.map(Fact::Text)) {
                    Ok(())
                } else {
                    Err(Nothing)
                }
            }
        }
    }

    fn add_date(&mut self, predicate: Predicate) -> Result<(), Nothing> {
        match predicate {
            Predicate::Within(spans) => {
                let ranges: Vec<IdRange> = spans.into_iter().filter_map(IdRange::of).collect();
                if ranges.is_empty() {
                    return Err(Nothing);
                }
                let held = std::mem::replace(&mut self.range, IdRange::ALL);
                self.range = held.and(IdRange::around(&ranges));
                self.within.push(ranges);
            }
            Predicate::Outside(span) => match IdRange::of(span) {
                None => {}
                Some(range) if range.is_all() => return Err(Nothing),
                Some(range) => self.outside.push(range),
            },
            other => always_there(&other)?,
        }
        Ok(())
    }

    fn add_status(&mut self, predicate: &Predicate) -> Result<(), Nothing> {
        let selected = |status: &&str| predicate.matches(Some(Fact::Text(status)));
        let held = |status: &&str| {
            self.statuses
                .as_ref()
                .is_none_or(|held| held.iter().any(|one| one == status))
        };
        let texts = Status::ALL.iter().map(|status| status.text());
        let statuses: Vec<String> = texts
            .filter(selected)
            .filter(held)
            .map(str::to_owned)
            .collect();
        if statuses.is_empty() {
            return Err(Nothing);
        }
        self.statuses = (statuses.len() < Status::ALL.len()).then_some(statuses);
        Ok(())
    }

    fn add_amount(&mut self, predicate: Predicate) -> Result<(), Nothing> {
        match predicate {
            Predicate::Within(spans) if spans.is_empty() => return Err(Nothing),
            Predicate::Outside(Span {
                min: None,
                max: None,
            }) => return Err(Nothing),
            within_or_outside @ (Predicate::Within(_) | Predicate::Outside(_)) => {
                self.amounts.push(within_or_outside);
            }
            other => always_there(&other)?,
        }
        Ok(())
    }

    fn add_text(&mut self, column: &'static str, predicate: Predicate) -> Result<(), Nothing> {
        match predicate {
            Predicate::OneOf(texts) if texts.is_empty() => return Err(Nothing),
            // A text is in no span of numbers.
            Predicate::Within(_) => return Err(Nothing),
            Predicate::Outside(_) => {}
            Predicate::OneOf(mut texts) if matches!(column, CUSTOMER | ORDER) => {
                // Each value is looked for once, or its payments would be found twice.
                texts.sort_unstable();
                texts.dedup();
                self.one_of.push((column, texts));
            }
            Predicate::OneOf(texts) if column == INTENT_STATUS => self.intents.push(texts),
            Predicate::OneOf(texts) if column == METHOD => {
                let texts = with_brands(texts);
                self.texts.push((column, Predicate::OneOf(texts)));
            }
            Predicate::Not(text) if column == METHOD && text == Method::Card.code() => {
                for brand in with_brands(vec![text]) {
                    self.texts.push((column, Predicate::Not(brand)));
                }
            }
            other => self.texts.push((column, other)),
        }
        Ok(())
    }

    /// Whether indexes hold all that is asked for: the date, the status, the customer, the order.
    pub(super) fn is_indexed(&self) -> bool {
        self.amounts.is_empty() && self.texts.is_empty() && self.intents.is_empty()
    }

    /// The indexed column whose values are best looked for one by one.
    pub(super) fn split(&self) -> Option<Split<'_>> {
        let rare = self
            .one_of
            .first()
            .map(|(column, values)| Split { column, values });
        // Most payments have one status, and its index has nothing else to be asked for.
        let statuses = self.statuses.as_deref().filter(|_| self.is_indexed());
        rare.or_else(|| {
            statuses.map(|values| Split {
                column: STATUS,
                values,
            })
        })
    }

    /// The ids that may be selected in `place`.
    pub(super) fn range(&self, place: &IdRange) -> IdRange {
        self.range.clone().and(place.clone())
    }

    /// All that must hold for a payment whose id is in `place`.
    pub(super) fn conditions(&self, team: TeamId, place: &IdRange, look: Look) -> Conditions {
        let mut conditions = self.conditions_but(team, "", look);
        self.range(place).hold(&mut conditions);
        conditions
    }

    /// What must hold besides the range of ids and the column by which the selection is split.
    pub(super) fn conditions_but(&self, team: TeamId, column: &str, look: Look) -> Conditions {
        let mut split = Some(column);
        let mut conditions = Conditions::of_team(team);
        self.within
            .iter()
            .for_each(|ranges| ids::hold_any(ranges, &mut conditions));
        self.outside
            .iter()
            .for_each(|range| range.exclude(&mut conditions));
        let statuses = self.statuses.as_deref().map(|statuses| (STATUS, statuses));
        let one_of = self
            .one_of
            .iter()
            .map(|(column, values)| (*column, values.as_slice()));
        // Only the first condition on the column is split.
        for (column, values) in one_of.chain(statuses) {
            if split.take_if(|split| *split == column).is_none() {
                // Written so, it can't lead to the index of statuses.
                let plain = look == Look::ByIndex || column != STATUS;
                let text = is_one_of(
                    if plain {
                        column
                    } else {
                        "coalesce(status, '')"
                    },
                    values,
                    &mut conditions,
                );
                conditions.and(&text);
            }
        }
        for predicate in &self.amounts {
            let text = amount(predicate, &mut conditions);
            conditions.and(&text);
        }
        for statuses in &self.intents {
            let each: Vec<String> = statuses
                .iter()
                .map(|status| intent_is(status, &mut conditions))
                .collect();
            conditions.and(&format!(
                "payment.intent_id is not null and ({})",
                each.join(" or ")
            ));
        }
        for (column, predicate) in &self.texts {
            if let Some(text) = text(column, predicate, &mut conditions) {
                conditions.and(&text);
            }
        }
        conditions
    }
}

/// What a predicate without numbers says of a number that is always there.
fn always_there(predicate: &Predicate) -> Result<(), Nothing> {
    if predicate.matches(Some(Fact::Int(0))) {
        Ok(())
    } else {
        Err(Nothing)
    }
}

fn amount(predicate: &Predicate, conditions: &mut Conditions) -> String {
    let mut end = |sign: &str, value: i64| format!("amount {sign} {}", conditions.bind(value));
    let each: Vec<String> = match predicate {
        Predicate::Outside(span) => {
            let below = span.min.map(|min| end("<", min));
            below
                .into_iter()
                .chain(span.max.map(|max| end(">", max)))
                .collect()
        }
        Predicate::Within(spans) => spans
            .iter()
            .map(|span| match (span.min, span.max) {
                (None, None) => "amount is not null".to_owned(),
                (Some(min), Some(max)) if min == max => end("=", min),
                (min, max) => {
                    let from = min.map(|min| end(">=", min));
                    let ends: Vec<String> = from
                        .into_iter()
                        .chain(max.map(|max| end("<=", max)))
                        .collect();
                    ends.join(" and ")
                }
            })
            .collect(),
        Predicate::OneOf(_)
        | Predicate::Not(_)
        | Predicate::Contains(_)
        | Predicate::Empty
        | Predicate::NotEmpty => Vec::new(),
    };
    format!("({})", each.join(" or "))
}

fn text(column: &str, predicate: &Predicate, conditions: &mut Conditions) -> Option<String> {
    Some(match predicate {
        Predicate::OneOf(texts) => is_one_of(column, texts, conditions),
        Predicate::Not(text) => format!(
            "({column} is null or {column} <> {})",
            conditions.bind(text.as_str())
        ),
        // Every text has the empty one in it, but taking that out changes none.
        Predicate::Contains(part) if part.is_empty() => format!("{column} is not null"),
        // Not a pattern: its rules differ between databases, and what a merchant sends has no wild cards.
        Predicate::Contains(part) => {
            format!(
                "replace({column}, {}, '') <> {column}",
                conditions.bind(part.as_str())
            )
        }
        Predicate::Empty => format!("coalesce({column}, '') = ''"),
        Predicate::NotEmpty => format!("coalesce({column}, '') <> ''"),
        Predicate::Within(_) | Predicate::Outside(_) => return None,
    })
}

/// Whether the payment's intent has a status. Written as a span of one id, since the database would else find the intent by its id,
/// and read its document to look at the status.
fn intent_is(status: &str, conditions: &mut Conditions) -> String {
    format!(
        "exists (select 1 from intent where intent.team_id = payment.team_id and intent.status = {} \
         and intent.intent_id between payment.intent_id and payment.intent_id)",
        conditions.bind(status)
    )
}

fn is_one_of(column: &str, values: &[String], conditions: &mut Conditions) -> String {
    format!(
        "{column} in ({})",
        conditions.bind_all(values.iter().map(String::as_str))
    )
}
