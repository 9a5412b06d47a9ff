//! How far a job that walks over everything has come. One place for all nodes.

use db::{Db, DbError, Statement};

/// The place of a job; `None` before its first step.
pub async fn get(db: &Db, job: &str) -> Result<Option<String>, DbError> {
    // Jobs serve every team.
    let sql = "select place from job_place where job = $1";
    let rows = db.read(sql, vec![job.into()]).await?;
    rows.into_iter()
        .next()
        .map(|mut row| row.take_text(0))
        .transpose()
}

/// Goes on from where the job was seen to be; the change is refused when another node has gone on meanwhile.
pub fn go_on(job: &str, there: Option<&str>, place: &str) -> Statement {
    let Some(there) = there else {
        // Jobs serve every team.
        return Statement::one(
            "insert into job_place (job, place) values ($1, $2)",
            vec![job.into(), place.into()],
        );
    };
    // Jobs serve every team.
    Statement::one(
        "update job_place set place = $3 where job = $1 and place = $2",
        vec![job.into(), there.into(), place.into()],
    )
}
