// A real asynq server with one handler; SIGTERM waits for what runs, up to the shutdown timeout, and gives back the rest.
package main

import (
	"context"
	"log"
	"os/signal"
	"syscall"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"jobharness/kit"
	"targets/asynq/once"
	"targets/asynq/settings"
)

func main() {
	if err := work(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func work(ctx context.Context) error {
	knobs, err := kit.Knobs[settings.Knobs]()
	if err != nil {
		return err
	}
	handler, err := newHandler(ctx, knobs)
	if err != nil {
		return err
	}
	client, err := settings.Redis(knobs)
	if err != nil {
		return err
	}
	if knobs.HandleSigterm {
		caught, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		ctx = caught
	}
	return consume(ctx, client, knobs, handler)
}

// consume runs the server until the context ends.
func consume(ctx context.Context, client *redis.Client, knobs settings.Knobs, handler *handler) error {
	server := asynq.NewServerFromRedisClient(client, config(knobs))
	if err := server.Ping(); err != nil {
		return err // Start would not mind, and this worker would say that it is ready
	}
	if err := server.Start(handler); err != nil {
		return err
	}
	if err := handler.attempts.Ready(); err != nil {
		return err
	}
	recovery{client, knobs, handler}.run(ctx)
	server.Stop()
	server.Shutdown()
	return nil
}

func config(knobs settings.Knobs) asynq.Config {
	return asynq.Config{
		Concurrency:              kit.Concurrency(knobs.Concurrency),
		Queues:                   map[string]int{settings.Queue: 1},
		RetryDelayFunc:           retryDelay(knobs),
		TaskCheckInterval:        knobs.TaskCheckInterval.Duration(),
		DelayedTaskCheckInterval: knobs.DelayedTaskCheckInterval.Duration(),
		ShutdownTimeout:          knobs.ShutdownTimeout.Duration(),
	}
}

func newHandler(ctx context.Context, knobs settings.Knobs) (*handler, error) {
	concurrency := kit.Concurrency(knobs.Concurrency)
	guard, err := once.NewGuard(ctx, knobs, concurrency)
	if err != nil {
		return nil, err
	}
	attempts, err := kit.OpenAttempts()
	return &handler{knobs, attempts, guard, kit.NewHandler(knobs.Handling, concurrency)}, err
}
