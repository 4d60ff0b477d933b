package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/operate"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backup"
)

type backupCommand struct {
	operate.StorageFlags
	operate.ConfigFlag
	Dir string `arg:"" help:"The folder to write; it must not exist, or be empty."`
}

// Help returns the detailed text of bobbin backup --help.
func (backupCommand) Help() string {
	return `Works while a bot runs, also with the private Postgres. The backup is the state of one moment:
sessions, approvals, the audit, and the files that sessions work on. It has no tokens; the configuration
and the names of the variables with tokens are named in it, and are yours to keep. Mirrors, caches and
sessions' folders are made again. It holds what people wrote, and code: keep it as you keep the database.`
}

// checkNamed returns an error if the name of a folder is empty, as a script's variable may be.
func checkNamed(dir string) error {
	if dir == "" {
		return cli.UsageError{Err: errors.New("bobbin: name a folder; an empty name was given")}
	}
	return nil
}

// Run writes a backup.
func (b *backupCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	if err := checkNamed(b.Dir); err != nil {
		return err
	}
	m := backup.Manifest{Program: programVersion()}
	if b.Config != "" {
		m.Configuration, m.Secrets = namedInBackup(con, b.Config)
	}
	dir, err := filepath.Abs(b.Dir)
	if err != nil {
		return err
	}
	target, err := b.Target(con)
	if err != nil {
		return err
	}
	if err := checkOutside(dir, target.DataDir); err != nil {
		return err
	}
	return b.ReadDatabase(ctx, con, log, func(s *store.Store) error {
		m, err := backup.Write(ctx, s.DB, dir, m)
		if err != nil {
			return describeBackup(err)
		}
		fmt.Fprintf(con.Out, "Written: %s, %s of %s, %s. Restore it with: bobbin restore %s\n",
			plaintext.OneLine(dir),
			plaintext.FormatCount(m.Rows())+" rows", plaintext.CountNoun(len(m.Tables), "table"),
			cli.Megabytes(m.Bytes()), cli.ShellWord(b.Dir))
		fmt.Fprintln(con.Out, "Not in it, and to be kept elsewhere: "+keptElsewhere(m)+".")
		return nil
	})
}

// checkOutside returns an error if a backup would be in the data directory, with which it would be lost.
func checkOutside(dir, data string) error {
	within, err := filepath.Rel(data, dir)
	if err != nil || !filepath.IsLocal(within) {
		return nil
	}
	return cli.UsageError{Err: fmt.Errorf("bobbin: %s is in the data directory, and would be lost with it; "+
		"name a folder elsewhere, best on another disk", dir)}
}

// describeBackup returns why a backup was not written, with what helps.
func describeBackup(err error) error {
	var folder *backup.FolderError
	if !errors.As(err, &folder) {
		return err
	}
	cure := "name another"
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		cure = "make room, or name a folder elsewhere"
	case errors.Is(err, syscall.EBUSY):
		cure = "it is a mount; name a folder within it"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		cure = fmt.Sprintf("name a folder in one that user id %d may write", os.Getuid())
	}
	return cli.UsageError{Err: fmt.Errorf("bobbin: %w; %s", folder, cure)}
}

// namedInBackup returns the path of the configuration file, and the names of the variables that it takes
// secrets from and that are set.
func namedInBackup(con cli.Console, name string) (path string, variables []string) {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	file, err := config.Load(name)
	if err != nil {
		fmt.Fprintln(con.Err, "bobbin: the configuration cannot be read, so the backup does not name the "+
			"variables that it takes secrets from")
		return name, nil
	}
	values, _ := file.ReadSecrets(con) // what is wrong with them is serve's business
	for _, variable := range slices.Sorted(maps.Keys(values)) {
		if values[variable] != "" {
			variables = append(variables, variable)
		}
	}
	return name, variables
}

// keptElsewhere says what a bot needs that its backup does not have.
func keptElsewhere(m backup.Manifest) string {
	file := "the configuration file"
	if m.Configuration != "" {
		file = m.Configuration
	}
	if len(m.Secrets) == 0 {
		return file + ", and the variables with tokens and keys"
	}
	return file + ", and the values of " + plaintext.And(m.Secrets)
}

type restoreCommand struct {
	operate.StorageFlags
	Dir     string `arg:"" help:"The folder that bobbin backup wrote."`
	Replace bool   `help:"Delete what the database holds. Not while a bot is at work in it."`
}

// Help returns the detailed text of bobbin restore --help.
func (restoreCommand) Help() string {
	return `Fills an empty database, whole or not at all; a bot may already run on it. A backup that was
changed or damaged is refused before anything happens, and so is one of a newer version. One of an
older version is brought up to date. Stop the bot that the backup is of first: two bots would speak in
the same threads. The restored bot goes on where the backup was made, and looks up what happened to
what was being posted or pushed then.`
}

// Run restores a backup.
func (r *restoreCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	if err := checkNamed(r.Dir); err != nil {
		return err
	}
	if _, err := backup.Read(r.Dir); err != nil { // before a data directory is made for it
		return describeRestore(err)
	}
	target, err := r.Target(con)
	if err != nil {
		return err
	}
	return storage.UseDatabase(ctx, target, log, func(s *store.Store) error {
		m, err := backup.Restore(ctx, s.DB, r.Dir, r.Replace, func(m backup.Manifest) {
			fmt.Fprintf(con.Err, "bobbin: restoring %s rows …\n", plaintext.FormatCount(m.Rows()))
		})
		if err != nil {
			return describeRestore(err)
		}
		fmt.Fprintf(con.Out, "Restored: %s rows of %s, as of %s.\n", plaintext.FormatCount(m.Rows()),
			plaintext.CountNoun(len(m.Tables), "table"), m.Made.Format(time.DateTime+" UTC"))
		fmt.Fprintln(con.Out, "Check it with bobbin audit --verify. The bot needs, too: "+
			keptElsewhere(m)+".")
		return nil
	})
}

// describeRestore returns why a backup was not restored, with what helps.
func describeRestore(err error) error {
	var damaged *backup.DamagedError
	var newer *backup.NewerError
	switch {
	case errors.As(err, &damaged), errors.As(err, &newer):
		return cli.UsageError{Err: fmt.Errorf("bobbin: %s", strings.TrimSpace(err.Error()))}
	case errors.Is(err, backup.ErrNotEmpty):
		return cli.UsageError{Err: errors.New("bobbin: the database is not empty, and nothing was changed; " +
			"name another, or delete what this one holds with --replace")}
	case errors.Is(err, backup.ErrAtWork):
		return cli.UsageError{Err: errors.New("bobbin: a bot is at work in the database, and nothing was " +
			"changed; stop it before you replace what it works on")}
	}
	return fmt.Errorf("nothing was restored: %w", err)
}
