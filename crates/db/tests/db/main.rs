//! The database from outside, through its door.

#[cfg(test)]
mod books;
#[cfg(test)]
mod counts;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod story;
#[cfg(test)]
mod upkeep;
