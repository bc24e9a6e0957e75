"""Models that travel: files, JSON, SQL, ONNX and plain Python."""
