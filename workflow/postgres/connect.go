package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// ping opens a connection and closes it.
func ping(ctx context.Context, url string) error {
	return withConnection(ctx, url, func(context.Context, *pgconn.PgConn) error { return nil })
}

// ensureDatabase creates the database "bobbin" if it is missing; url is the address of another database of
// the same server.
func ensureDatabase(ctx context.Context, url string) error {
	return withConnection(ctx, url, func(ctx context.Context, c *pgconn.PgConn) error {
		_, err := c.Exec(ctx, "create database "+database).ReadAll()
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == "42P04" { // duplicate_database
			return nil
		}
		return err
	})
}

// An outcome classifies the result of an attempt to connect.
type outcome int

const (
	wasDone    outcome = iota
	wasRefused         // the server refused, and would refuse again
	isStarting         // the server answered that it is not ready yet
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
	}
	return wasRefused
}

func withConnection(ctx context.Context, url string, do func(context.Context, *pgconn.PgConn) error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	c, err := pgconn.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	return do(ctx, c)
}
