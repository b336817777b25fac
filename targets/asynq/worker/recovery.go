package main

import (
	"context"
	"log"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"targets/asynq/settings"
)

// What asynq has as constants: a lease lasts 30 s from the last heartbeat, its recoverer takes the tasks whose lease
// ended 30 s ago, and looks for them when a server starts and every minute.
const (
	leaseDuration     = 30
	skew              = 30
	recovererInterval = time.Minute
)

// backdate moves the end of each lease that was not extended for long enough to where asynq's recoverer will take it.
// It says how many there are, and says so to one worker at a time: two recoverers at once could take a task back from
// the worker that was just given it.
var backdate = redis.NewScript(`
local now, lease, duration, skew = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local due = redis.call("ZRANGEBYSCORE", KEYS[1], "-inf", now + duration - lease)
if #due == 0 or not redis.call("SET", KEYS[2], 1, "NX", "EX", 2) then
	return 0
end
for _, id in ipairs(due) do
	redis.call("ZADD", KEYS[1], "XX", now - skew - 1, id)
end
return #due`)

// recovery makes asynq's own recoverer run sooner than its constants allow, without a change to its code.
type recovery struct {
	client  *redis.Client
	knobs   settings.Knobs
	handler *handler
}

// run looks for dead workers' tasks until the context ends; with asynq's own times it leaves everything to asynq.
func (r recovery) run(ctx context.Context) {
	if r.knobs.LeaseDuration >= leaseDuration+skew && r.knobs.RecovererInterval.Duration() >= recovererInterval {
		<-ctx.Done()
		return
	}
	ticker := time.NewTicker(r.knobs.RecovererInterval.Duration())
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			r.look(ctx)
		}
	}
}

func (r recovery) look(ctx context.Context) {
	keys := []string{"asynq:{" + settings.Queue + "}:lease", "recovering:{" + settings.Queue + "}"}
	due, err := backdate.Run(ctx, r.client, keys, time.Now().Unix(), float64(r.knobs.LeaseDuration), leaseDuration, skew).Int()
	if err != nil {
		log.Printf("recovery: %v", err)
	} else if due > 0 {
		log.Printf("recovery: %d leases were not extended for %v s", due, r.knobs.LeaseDuration)
		r.recover()
	}
}

// recover starts a second server, whose recoverer looks at once, and stops it again: Shutdown waits for that look, and
// for a task that the server may have taken meanwhile.
func (r recovery) recover() {
	config := config(r.knobs)
	config.Concurrency = 1
	server := asynq.NewServerFromRedisClient(r.client, config)
	if err := server.Start(r.handler); err != nil {
		log.Printf("recovery: %v", err)
		return
	}
	server.Shutdown()
}
