package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// ping opens a connection and closes it.
func ping(ctx context.Context, url string) error {
	return withConnection(ctx, url, func(*pgconn.PgConn) error { return nil })
}

// ensureDatabase creates the database "bobbin" if it is missing; url is the address of another database of
// the same server. It has more time than a connection: Postgres copies some hundred files, and begins anew
// if it is interrupted.
func ensureDatabase(ctx context.Context, url string) error {
	return withConnection(ctx, url, func(c *pgconn.PgConn) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		_, err := c.Exec(ctx, "create database "+database).ReadAll()
		var refused *pgconn.PgError
		if errors.As(err, &refused) && slices.Contains(databaseExists, refused.Code) {
			return nil
		}
		return err
	})
}

// databaseExists holds the error codes with which Postgres refuses to create a database that exists.
var databaseExists = []string{
	"42P04", // duplicate_database
	"23505", // unique_violation: another statement, begun before this one, created it
}

// An outcome classifies the result of an attempt to connect.
type outcome int

const (
	wasDone    outcome = iota
	wasRefused         // the server refused, and would refuse again
	isStarting         // the server answered that it is not ready yet
	isBusy             // the server would do it later: another client uses the template of new databases
	noAnswer
)

func judgeAnswer(err error) outcome {
	var refused *pgconn.PgError
	switch {
	case err == nil:
		return wasDone
	case !errors.As(err, &refused):
		return noAnswer
	case refused.Code == "57P03": // cannot_connect_now
		return isStarting
	case refused.Code == "55006": // object_in_use
		return isBusy
	}
	return wasRefused
}

// connectWithin is how long one attempt to connect may take.
const connectWithin = 5 * time.Second

func withConnection(ctx context.Context, url string, do func(*pgconn.PgConn) error) error {
	connecting, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	c, err := pgconn.Connect(connecting, url)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	return do(c)
}
