//! The simulator, played in virtual time.

#[cfg(test)]
mod account;
mod cards;
#[cfg(test)]
mod challenges;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod noticed;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod sent;
#[cfg(test)]
mod shop;
#[cfg(test)]
mod shown;
#[cfg(test)]
mod tokens;
#[cfg(test)]
mod unanswered;
