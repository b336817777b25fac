package once

import (
	"context"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	create = "CREATE TABLE IF NOT EXISTS done (key text PRIMARY KEY)"
	insert = "INSERT INTO done (key) VALUES ($1) ON CONFLICT DO NOTHING"
)

// unique lets through the first to commit a row with the key; a second run waits for the first to commit or to die.
type unique struct {
	pool *pgxpool.Pool
}

func (u unique) Once(ctx context.Context, key string, effect func() error) (first bool, err error) {
	err = pgx.BeginFunc(ctx, u.pool, func(transaction pgx.Tx) error {
		inserted, err := transaction.Exec(ctx, insert, key)
		if err != nil || inserted.RowsAffected() == 0 {
			return err
		}
		first = true
		return effect()
	})
	return first, err
}

// CreateTable makes the table of `unique`.
func CreateTable(ctx context.Context) error {
	pool, err := connect(ctx, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	_, err = pool.Exec(ctx, create)
	return err
}

// connect gives a connection to each job that runs at once, and to those that go on although asynq has given them up.
func connect(ctx context.Context, concurrency int) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(os.Getenv("HARNESS_POSTGRES"))
	if err != nil {
		return nil, err
	}
	config.MaxConns = 4 * int32(concurrency)
	config.ConnConfig.ConnectTimeout = 3 * time.Second
	return pgxpool.NewWithConfig(ctx, config)
}
