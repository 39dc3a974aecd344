//go:build race && !quietgrpc

package remote_test

const raceDetector = true
