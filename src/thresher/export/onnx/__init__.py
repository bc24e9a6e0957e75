"""A model as an ONNX graph."""
