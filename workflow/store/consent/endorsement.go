package consent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// An Endorsement is a Part: the word of one person for a subject, by the Permission of the same recording
// or the one that it names, where more people have to say so, too. The last of them gives an Approval, an
// Allowance or what else it is, which writes its own endorsement.
type Endorsement workflow.Endorsement

func (Endorsement) Stage() record.Stage { return record.Given }

// Mask masks the words that limit the approval.
func (e Endorsement) Mask(mask func(string) string) record.Part {
	e.Scope = mask(e.Scope)
	return e
}

// Write is a compare-and-set: the word of a person for a subject counts once, and one for the newest revision
// only while the session waits on it and, if asking was the permission, as for an Approval. Otherwise Write
// fails with record.ErrStale.
func (e Endorsement) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	p, _ := record.Find[Permission](r)
	permission := permitted(r)
	if e.Permission != "" {
		permission = &e.Permission
	}
	tag, err := tx.Exec(ctx,
		`insert into endorsements (permission_id, session_id, revision, report_hash, base_commit, subject,
			user_id, user_name, credit, scope, message_ts)
		select $1, r.session_id, r.revision, r.hash, r.base_commit, $4, $5, $6, $7, $8, $9
		from reports r join sessions s on s.id = r.session_id
		where r.session_id = $2 and r.revision = $3 and ($4 <> '' or s.revision = $3
			and r.base_commit = s.base_commit and r.revision > s.voided)
			and not ($10 and exists (select 1 from inbox i where i.session_id = s.id and i.user_id <> ''
				and i.kind <> 'delete'
				and (i.handled_at is null or i.for_agents and i.id > s.seen)))
		on conflict do nothing`,
		permission, r.Session, e.Revision, e.Subject, e.User, database.CleanText(e.UserName),
		database.CleanText(e.Credit), database.CleanText(e.Scope), e.MessageTS,
		len(p.RestsOn) > 0)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return record.ErrStale
	}
	return auditEndorsement(ctx, tx, r.Session, *permission, e.Subject)
}

// endorse writes the word of the person who completes a subject, unless the recording has it as a part.
func endorse(ctx context.Context, tx pgx.Tx, r *record.Recording, e workflow.Endorsement) error {
	for _, part := range r.Parts {
		if own, ok := part.(Endorsement); ok && own.Subject == e.Subject && own.Permission == "" {
			return nil
		}
	}
	p, ok := record.Find[Permission](r)
	if !ok {
		return nil // the schema refuses what has no permission
	}
	tag, err := tx.Exec(ctx,
		`insert into endorsements (permission_id, session_id, revision, report_hash, base_commit, subject,
			user_id, user_name, credit, scope, message_ts)
		select p.id, r.session_id, r.revision, r.hash, r.base_commit, $4, p.user_id, $5, $6, $7, p.message_ts
		from reports r, permissions p where r.session_id = $2 and r.revision = $3 and p.id = $1
			and ($4 <> '' or p.revision = r.revision)
		on conflict do nothing`,
		p.ID, r.Session, e.Revision, e.Subject, database.CleanText(e.UserName),
		database.CleanText(e.Credit), database.CleanText(e.Scope))
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return auditEndorsement(ctx, tx, r.Session, p.ID, e.Subject)
}

func auditEndorsement(ctx context.Context, tx pgx.Tx, session, permission, subject string) error {
	return AppendAudit(ctx, tx, session, "endorsement", strings.TrimSpace(permission+" "+subject))
}

// An EndorsementEnd is a Part: the words that it names do not count any more.
type EndorsementEnd struct {
	Endorsements []workflow.Endorsement
	Why          workflow.EndorsementEnd
}

// Stage returns Report: a word that replaces an earlier one of the same person is written after its end.
func (EndorsementEnd) Stage() record.Stage { return record.Report }

// Mask returns the part as it is: only ids of it are written.
func (e EndorsementEnd) Mask(func(string) string) record.Part { return e }

// Write ends those of the words that still count.
func (e EndorsementEnd) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	for _, x := range e.Endorsements {
		tag, err := tx.Exec(ctx, `update endorsements set ended = $4, ended_at = now()
			where session_id = $1 and permission_id = $2 and subject = $3 and ended = ''`,
			r.Session, x.Permission, x.Subject, e.Why)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			continue
		}
		if err := auditEndorsement(ctx, tx, r.Session, x.Permission, x.Subject); err != nil {
			return err
		}
	}
	return nil
}

const endorsementColumns = `permission_id as permission, session_id as session, revision, subject, ` +
	`user_id as "user", user_name, credit, scope, message_ts, at`

// Endorsements returns the words for the subjects of a revision that count, in order.
func (g Register) Endorsements(
	ctx context.Context, session string, revision int, subjects ...string,
) ([]workflow.Endorsement, error) {
	rows, err := g.DB.Pool.Query(ctx, `select `+endorsementColumns+` from endorsements
		where session_id = $1 and revision = $2 and subject = any($3) and ended = ''
		order by at, permission_id`, session, revision, subjects)
	if err != nil {
		return nil, fmt.Errorf("who approved revision %d of %s: %w", revision, session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Endorsement])
}

// EndorsementsAt returns the words for a subject of a revision that counted at that time, in order, whatever
// became of them.
func (g Register) EndorsementsAt(
	ctx context.Context, session string, revision int, subject string, at time.Time,
) ([]workflow.Endorsement, error) {
	rows, err := g.DB.Pool.Query(ctx, `select `+endorsementColumns+` from endorsements
		where session_id = $1 and revision = $2 and subject = $3 and at <= $4
			and (ended = '' or ended_at >= $4) order by at, permission_id`, session, revision, subject, at)
	if err != nil {
		return nil, fmt.Errorf("who asked for %s in %s: %w", subject, session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Endorsement])
}

// EndorsementsBy returns the words that count and that the message with that ts gave, for whatever.
func (g Register) EndorsementsBy(
	ctx context.Context, session, ts string,
) ([]workflow.Endorsement, error) {
	rows, err := g.DB.Pool.Query(ctx, `select `+endorsementColumns+` from endorsements
		where session_id = $1 and message_ts = $2 and ended = '' order by revision desc, subject`,
		session, ts)
	if err != nil {
		return nil, fmt.Errorf("what %s approved: %w", ts, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Endorsement])
}
