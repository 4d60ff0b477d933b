// The audit chains what was decided in a session by hashes, and verifies the chain against the current rows.
//
// AppendAudit adds a record in the transaction that wrote the row, and commits with it. VerifyAudit reads
// each session as it was at one moment, so it may run beside a bot. A flaw is a result, not an error.

package consent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// AppendAudit adds to the session's chain what a row of one of the tables in the view audited says now. It
// has to run in the transaction that wrote the row and locked the session's row, so that no other record
// comes between.
func AppendAudit(ctx context.Context, tx pgx.Tx, session, what, name string) error {
	r := auditRecord{What: what, Name: name}
	var last string
	err := tx.QueryRow(ctx,
		`select s.audited + 1, s.audit_head, v.content from sessions s join audited v on v.session_id = s.id
		where s.id = $1 and v.what = $2 and v.name = $3`, session, what, name).Scan(&r.Seq, &last, &r.Content)
	if err != nil {
		return fmt.Errorf("audit %s %s: %w", what, name, err)
	}
	r.Hash = r.computeHash(session, last)
	row := database.Row{
		"session_id": session,
		"seq":        r.Seq,
		"what":       r.What,
		"name":       r.Name,
		"content":    r.Content,
		"hash":       r.Hash,
	}
	if err := database.Insert(ctx, tx, "audit", row); err != nil {
		return fmt.Errorf("audit %s %s: %w", what, name, err)
	}
	_, err = tx.Exec(ctx, `update sessions set audited = $2, audit_head = $3 where id = $1`,
		session, r.Seq, r.Hash)
	return err
}

// An auditRecord is one row of the table audit.
type auditRecord struct {
	Seq                       int
	What, Name, Content, Hash string
}

// computeHash returns the record's hash, which covers last, the hash of the record before. The first
// record covers the session's id instead, so that no session's records can pass for another's.
func (r auditRecord) computeHash(session, last string) string {
	if last == "" {
		last = session
	}
	h := sha256.Sum256([]byte(strings.Join([]string{last, strconv.Itoa(r.Seq), r.What, r.Name, r.Content},
		"\n")))
	return hex.EncodeToString(h[:])
}

// An AuditFlaw is the first record or row of a session that does not hold.
type AuditFlaw struct {
	Session string
	// number of the record; 0: the row was never recorded
	Seq int
	// the kind of row: decision, report, permission, endorsement, approval, allowance, removal,
	// push, backport, objection, ci proof, ticket, merge or disclosure
	What string
	// the row's id, revision, hash, commit, branch or key
	Name string
	Why  string
}

// String returns the flaw in one line.
func (f AuditFlaw) String() string {
	parts := []string{"session " + f.Session}
	if f.Seq > 0 {
		parts = append(parts, fmt.Sprintf("record %d", f.Seq))
	}
	if f.What != "" {
		parts = append(parts, f.What+" "+f.Name)
	}
	return strings.Join(parts, ", ") + ": " + f.Why
}

// An AuditResult is what VerifyAudit found.
type AuditResult struct {
	Sessions, Records int
	// Head is the last hash of the session that was asked for. For all sessions,
	// it is the hash of their ids and last hashes in the order of the ids.
	Head string
	Flaw *AuditFlaw // the first one; nil if everything holds
}

// VerifyAudit compares the records with their hashes and with the current rows,
// of one session or, if session is empty, of all. It may run beside a bot.
func VerifyAudit(ctx context.Context, db *database.DB, session string) (AuditResult, error) {
	var a AuditResult
	rows, err := db.Pool.Query(ctx, `select id from sessions where $1 = '' or id = $1 order by id`, session)
	if err != nil {
		return a, fmt.Errorf("audit: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return a, fmt.Errorf("audit: %w", err)
	}
	heads := sha256.New()
	for _, id := range ids {
		c := auditChain{session: id}
		if err := c.readRows(ctx, db); errors.Is(err, pgx.ErrNoRows) {
			continue // it was cleaned away since
		} else if err != nil {
			return a, fmt.Errorf("audit %s: %w", id, err)
		}
		a.Sessions++
		a.Records += len(c.records)
		a.Head = c.head
		fmt.Fprintf(heads, "%s %s\n", id, c.head)
		if a.Flaw = c.findFlaw(); a.Flaw != nil {
			return a, nil
		}
	}
	if session == "" {
		a.Head = hex.EncodeToString(heads.Sum(nil))
	}
	return a, nil
}

// An auditChain holds all records of one session, and the rows that they are about.
type auditChain struct {
	session string
	count   int
	head    string
	records []auditRecord
	rows    map[[2]string]string // content by what and name
	order   [][2]string
}

// readRows reads everything as it was at one moment.
func (c *auditChain) readRows(ctx context.Context, db *database.DB) error {
	return pgx.BeginTxFunc(ctx, db.Pool,
		pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			if err := tx.QueryRow(ctx, `select audited, audit_head from sessions where id = $1`,
				c.session).Scan(&c.count, &c.head); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, `select seq, what, name, content, hash from audit where session_id = $1
				order by seq`, c.session)
			if err != nil {
				return err
			}
			if c.records, err = pgx.CollectRows(rows, pgx.RowToStructByName[auditRecord]); err != nil {
				return err
			}
			rows, err = tx.Query(ctx, `select what, name, content from audited where session_id = $1
				order by at, what, name`, c.session)
			if err != nil {
				return err
			}
			c.rows = map[[2]string]string{}
			var what, name, content string
			_, err = pgx.ForEachRow(rows, []any{&what, &name, &content}, func() error {
				key := [2]string{what, name}
				c.rows[key] = content
				c.order = append(c.order, key)
				return nil
			})
			return err
		})
}

// findFlaw returns the first record or row that does not hold, or nil if all do.
func (c *auditChain) findFlaw() *AuditFlaw {
	newest := map[[2]string]int{}
	for _, r := range c.records {
		newest[[2]string{r.What, r.Name}] = r.Seq
	}
	last := ""
	for i, r := range c.records {
		if r.Seq != i+1 {
			return &AuditFlaw{Session: c.session, Seq: i + 1, Why: "it was taken away"}
		}
		key := [2]string{r.What, r.Name}
		f := &AuditFlaw{Session: c.session, Seq: r.Seq, What: r.What, Name: r.Name}
		now, there := c.rows[key]
		switch {
		case r.Hash != r.computeHash(c.session, last):
			f.Why = "it is not what was recorded, or what stands before it is not"
		case !there:
			f.Why = "the row was taken away"
		case newest[key] == r.Seq && now != r.Content:
			f.Why = fmt.Sprintf("the row was changed: it was recorded as %s and is now %s", r.Content, now)
		default:
			last = r.Hash
			continue
		}
		return f
	}
	if len(c.records) != c.count || last != c.head {
		return &AuditFlaw{
			Session: c.session,
			Seq:     len(c.records) + 1,
			Why:     "the last records were taken away, or put behind what the session knows of",
		}
	}
	for _, key := range c.order {
		if newest[key] == 0 {
			return &AuditFlaw{
				Session: c.session,
				What:    key[0],
				Name:    key[1],
				Why:     "the row was never recorded",
			}
		}
	}
	return nil
}
