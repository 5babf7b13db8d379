//go:build !amd64

package confine_test

import "golang.org/x/sys/unix"

func int80(uint32) (int32, error) { return 0, unix.ENOSYS }
