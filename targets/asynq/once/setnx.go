package once

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// setnx lets through the first to set the key in Redis; it is deleted when the attempt fails, and stays when the
// worker dies.
type setnx struct {
	client *redis.Client
	ttl    time.Duration
}

func (s setnx) Once(ctx context.Context, key string, effect func() error) (bool, error) {
	name := "done:" + key
	first, err := s.client.SetNX(ctx, name, 1, s.ttl).Result()
	if err != nil || !first {
		return false, err
	}
	if err := effect(); err != nil {
		return true, errors.Join(err, s.client.Del(context.WithoutCancel(ctx), name).Err())
	}
	return true, nil
}
