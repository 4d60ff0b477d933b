// Sessions of a repository that seem to be about the same problem, found by comparing the words that people
// wrote. Postgres' full text search does that, with trigrams if the database has pg_trgm; no model takes
// part.
//
// A word counts the more, the fewer reports of the repository have it. A result is a guess, and says nothing
// about who may read the other session: see workflow/turn/internal/judge/duplicates.

package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

const (
	maxReportText         = 4000 // characters of a report that are compared
	maxReportsCompared    = 2000 // newest reports of a repository with which a report is compared
	maxDuplicatesExamined = 10   // best of them, which are examined more closely
	maxDuplicates         = 3    // duplicates of a report that FindDuplicates returns
)

// The minimum score of a duplicate, where 1 is the same text: with trigrams, which raise the score of reports
// in nearly the same letters, and by words alone. TestTwinsAreFound measures what these limits find and miss.
const (
	likely      = 0.42
	likelyWords = 0.42
)

// ReportText is a Part: the text of a report. It is stored once the
// repository of the session is known, and again if that changes.
type ReportText struct{ Repository, Text string }

// Stage implements record.Part.
func (ReportText) Stage() record.Stage { return record.Work }

// Mask masks what people wrote.
func (rt ReportText) Mask(mask func(string) string) record.Part {
	rt.Text = mask(rt.Text)
	return rt
}

// Write replaces the words that were stored before.
func (rt ReportText) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`insert into report_words (session_id, repository, words) values ($1, $2, left($3, $4))
		on conflict (session_id) do update set repository = excluded.repository, words = excluded.words`,
		r.Session, rt.Repository, database.CleanText(rt.Text), maxReportText)
	return err
}

// A Duplicate is a session that seems to be about the same problem,
// with the similarity of its report: 1 is word for word.
type Duplicate struct {
	Session string
	Score   float64
}

// FindDuplicates returns the sessions that seem to be about what text says, the most similar first.
func FindDuplicates(
	ctx context.Context, db *database.DB, session, repository, text string,
) ([]Duplicate, error) {
	schema, err := trigrams(ctx, db)
	if err != nil {
		return nil, err
	}
	close := `0::float8`
	limit := likelyWords
	if schema != "" {
		close = pgx.Identifier{schema, "similarity"}.Sanitize() +
			`(lower(left(words, 400)), lower(left($3, 400)))`
		limit = likely
	}
	rows, err := db.Pool.Query(ctx, strings.ReplaceAll(searchDuplicates, "{close}", close), session,
		repository,
		database.CleanText(text), maxReportText, maxReportsCompared, limit, maxDuplicatesExamined)
	if err != nil {
		return nil, fmt.Errorf("duplicates of %s: %w", session, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[duplicateRow])
	if err != nil {
		return nil, fmt.Errorf("duplicates of %s: %w", session, err)
	}
	var list []Duplicate
	for _, c := range found {
		if len(list) < maxDuplicates && !otherCode(text, c.Words) {
			list = append(list, Duplicate{c.Session, c.Score})
		}
	}
	return list, nil
}

type duplicateRow struct {
	Session string
	Score   float64
	Words   string
}

// codeName matches a name of code: TestRefund, renderRow, cart.js, receipt.Print.
var codeName = regexp.MustCompile(
	`[A-Za-z_]*[a-z0-9_][A-Z][A-Za-z0-9_]*|[a-z_][A-Za-z0-9_]+\.[A-Za-z][A-Za-z0-9_]+`)

// otherCode reports whether both texts name code, but no name of one is in the
// other: two tests that fail with the same words are not the same failure.
func otherCode(a, b string) bool {
	in := codeName.FindAllString(a, -1)
	of := codeName.FindAllString(b, -1)
	return len(in) > 0 && len(of) > 0 &&
		!slices.ContainsFunc(in, func(name string) bool { return slices.Contains(of, name) })
}

// searchDuplicates weighs each word by how few of the reports have it, and each report
// by the weight of the words that both have. It counts at least twenty
// reports, so that the first reports of a repository are not all alike.
const searchDuplicates = `with reports as (
		select w.session_id, w.words, w.lexemes from report_words w join sessions s on s.id = w.session_id
		where s.repository = $2 and w.repository = $2 and w.session_id <> $1 and s.cleared_at is null
			and s.part_of is null
			and not exists (select 1 from twins j where j.session_id = s.id and j.joined_at is not null)
		order by s.created_at desc
		limit $5),
	asked as (select lexeme from unnest(to_tsvector('english', left($3, $4)))),
	terms as (select session_id, lexeme from reports, unnest(lexemes)),
	weights as (
		select lexeme, ln(1 + greatest((select count(*) from reports), 20)
			/ (1.0 + count(session_id)))::float8 as weight
		from (select session_id, lexeme from terms union all select null, lexeme from asked) all_terms
		group by lexeme),
	asked_weight as (select sum(weight) as weight from asked join weights using (lexeme)),
	scored as (
		select t.session_id, sum(w.weight) filter (where a.lexeme is not null) as shared,
			count(a.lexeme) as words_shared, sum(w.weight) as own
		from terms t join weights w using (lexeme) left join asked a using (lexeme)
		group by t.session_id),
	compared as (
		select session_id, shared / sqrt(own * (select weight from asked_weight)) as by_words,
			{close} as by_letters
		from scored join reports using (session_id)
		where words_shared >= 3)
	select session_id, greatest(by_words, 0.6 * by_words + 0.4 * by_letters) as score, words
	from compared join reports using (session_id)
	where greatest(by_words, 0.6 * by_words + 0.4 * by_letters) >= $6
	order by score desc, session_id
	limit $7`

// trigrams returns the schema that has pg_trgm, or an empty string if the database does not have it.
func trigrams(ctx context.Context, db *database.DB) (schema string, err error) {
	err = db.Pool.QueryRow(
		ctx,
		`select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace
			where e.extname = 'pg_trgm'`,
	).Scan(&schema)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("look for pg_trgm: %w", err)
	}
	return schema, nil
}
