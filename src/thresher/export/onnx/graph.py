"""A graph of ONNX nodes under construction; the only file that names the package onnx."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnx import ModelProto as ModelProto

OPSET, ML_OPSET, IR_VERSION = 17, 5, 10
"""TreeEnsemble, which takes doubles and sets of levels, came with version 5 of ai.onnx.ml."""

ML = "ai.onnx.ml"


def need_onnx() -> Any:
    """Return the package, or say how to get it."""
    try:
        import onnx
    except ImportError:
        raise ImportError("to_onnx needs onnx; pip install 'thresher[onnx]'.") from None
    return onnx


class Graph:
    """Nodes and constants; each method adds one and returns the name of its result.

    Parameters
    ----------
    taken : names that results must not have.
    """

    def __init__(self, taken: Sequence[str] = ()) -> None:
        self._onnx = need_onnx()
        self._taken = set(taken)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._count = 0

    def _fresh(self, kind: str) -> str:
        name = ""
        while not name or name in self._taken:
            self._count += 1
            name = f"{kind.lower()}_{self._count}"
        return name

    def input(self, name: str, dtype: Any, width: int) -> str:
        """Add an input of the graph with rows of some width."""
        self._inputs.append(self._typed(name, dtype, ["n", width]))
        return name

    def _typed(self, name: str, dtype: Any, shape: Sequence[Any] | None) -> Any:
        helper = self._onnx.helper
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return helper.make_tensor_value_info(name, kind, shape)

    def constant(self, values: Any, dtype: Any = None) -> str:
        """Add a constant tensor."""
        name = self._fresh("constant")
        self._constants.append(self.tensor(np.asarray(values, dtype=dtype), name))
        return name

    def tensor(self, values: NDArray[Any], name: str = "") -> Any:
        """Return an array as a tensor, for attributes."""
        return self._onnx.numpy_helper.from_array(values, name)

    def add(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Add a node of the standard operators."""
        return self._add(kind, inputs, output, "", attributes)

    def add_ml(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node of the operators for trees and labels."""
        return self._add(kind, inputs, None, ML, attributes)

    def _add(
        self, kind: str, inputs: Sequence[str], output: str | None, domain: str, attributes: Any
    ) -> str:
        result = output or self._fresh(kind)
        make = self._onnx.helper.make_node
        self._nodes.append(make(kind, list(inputs), [result], domain=domain, **attributes))
        return result

    def cast(self, value: str, dtype: Any) -> str:
        """Add a conversion."""
        kind = self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return self.add("Cast", value, to=kind)

    def double(self, value: float) -> str:
        """Add a number of 64 bits."""
        return self.constant(value, np.float64)

    def mean_body(self, operator: str) -> Any:
        """Return one step of a running mean, as the body of a Scan.

        The mean m becomes m + (weight * (v - m)), or m + (v - m) / weight.
        """
        helper, double = self._onnx.helper, self._onnx.TensorProto.DOUBLE
        nodes = [
            helper.make_node("Sub", ["value", "mean"], ["difference"]),
            helper.make_node(operator, ["difference", "weight"], ["change"]),
            helper.make_node("Add", ["mean", "change"], ["next"]),
        ]
        inputs = [helper.make_tensor_value_info(name, double, None) for name in ("mean", "value")]
        inputs.append(helper.make_tensor_value_info("weight", double, []))
        output = helper.make_tensor_value_info("next", double, None)
        return helper.make_graph(nodes, "mean", inputs, [output])

    def model(self, outputs: Sequence[tuple[str, Any, list[Any]]]) -> "ModelProto":
        """Return the checked model with outputs given as name, dtype and shape."""
        helper = self._onnx.helper
        graph = helper.make_graph(
            self._nodes,
            "thresher",
            self._inputs,
            [self._typed(*output) for output in outputs],
            initializer=self._constants,
        )
        versions = [helper.make_opsetid("", OPSET), helper.make_opsetid(ML, ML_OPSET)]
        model: ModelProto = helper.make_model(
            graph, opset_imports=versions, ir_version=IR_VERSION, producer_name="thresher"
        )
        self._onnx.checker.check_model(model, full_check=True)
        return model


def run(model: Any, feeds: dict[str, NDArray[Any]]) -> list[NDArray[Any]]:
    """Run a model in onnxruntime; without it in the reference of the onnx package."""
    try:
        import onnxruntime
    except ImportError:
        from onnx.reference import ReferenceEvaluator

        return list(ReferenceEvaluator(model).run(None, feeds))
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return list(session.run(None, feeds))
