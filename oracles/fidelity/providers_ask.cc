// SPDX-License-Identifier: Apache-2.0
// What ONNX Runtime's NNAPI or CoreML provider claims of a model's main graph, as JSON: what its GetCapability returns,
// after the layout transformation where the provider asks for one. Nothing is compiled or run: there is no Android and
// no Core ML here. The model is what a session has before it partitions (ask_providers.py sees to that).
//
// usage: ask PROVIDER LEVEL MODEL.onnx; PROVIDER: nnapi, nnapi-nchw, coreml-mlprogram, coreml-neuralnetwork, each of
// the last two also with -static; LEVEL: Android's API level, or Core ML's version.
//
// Built by providers_build.py against ONNX Runtime's own source, of which no line is here.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "core/common/logging/logging.h"
#include "core/common/logging/sinks/cerr_sink.h"
#include "core/framework/allocator.h"
#include "core/framework/compute_capability.h"
#include "core/framework/execution_provider.h"
#include "core/graph/constants.h"
#include "core/graph/contrib_ops/contrib_defs.h"
#include "core/graph/contrib_ops/internal_nhwc_onnx_schemas.h"
#include "core/graph/contrib_ops/ms_opset.h"
#include "core/graph/contrib_ops/onnx_deprecated_opset.h"
#include "core/graph/graph_viewer.h"
#include "core/graph/model.h"
#include "core/optimizer/layout_transformation/layout_transformation.h"
#include "core/providers/cpu/tensor/transpose.h"
#include "core/providers/coreml/coreml_execution_provider.h"
#include "core/providers/coreml/coreml_provider_factory.h"
#include "core/providers/coreml/model/host_utils.h"
#include "core/providers/nnapi/nnapi_builtin/nnapi_execution_provider.h"
#include "core/providers/nnapi/nnapi_provider_factory.h"
#include "core/session/onnxruntime_c_api.h"
#include "onnx/defs/operator_sets.h"
#include "onnx/defs/operator_sets_ml.h"

using namespace onnxruntime;

// providers_build.py puts this in the place of the API level that the provider is compiled for off Android.
int asked_level = 0;

// In the place of coreml/model/host_utils_stub.cc, whose version is a constant.
namespace onnxruntime {
namespace coreml {
namespace util {
bool HasRequiredBaseOS() { return true; }
int CoreMLVersion() { return asked_level; }
std::string GetTemporaryFilePath() { return ""; }
}  // namespace util
}  // namespace coreml
}  // namespace onnxruntime

// In the place of kernels, which are not compiled. A constant that the layout transformation turns keeps its elements in
// their old order: no provider looks at those of such a constant.
namespace onnxruntime {
Status TransposeBase::DoTranspose(const gsl::span<const size_t>&, const Tensor& input, Tensor& output,
                                  const TensorShape*, concurrency::ThreadPool*) {
  if (!input.IsDataTypeString()) std::memcpy(output.MutableDataRaw(), input.DataRaw(), input.SizeInBytes());
  return Status::OK();
}
namespace math {
float halfToFloat(uint16_t bits) { return MLFloat16::FromBits(bits).ToFloat(); }
}  // namespace math
}  // namespace onnxruntime
size_t MlasGetPreferredBufferAlignment() { return 64; }
size_t MlasNchwcGetBlockSize() { return 8; }
// What the providers' own use of the C API asks for as the program starts.
extern "C" const OrtApiBase* OrtGetApiBase() noexcept {
  static const OrtApiBase base = {[](uint32_t) noexcept -> const OrtApi* { return nullptr; },
                                  []() noexcept -> const char* { return ""; }};
  return &base;
}
#ifndef NDEBUG
// Debian's libonnx is built without it.
ONNX_NAMESPACE::DbgOperatorSetTracker& ONNX_NAMESPACE::DbgOperatorSetTracker::Instance() {
  static DbgOperatorSetTracker tracker;
  return tracker;
}
#endif

namespace {

class NoKernels final : public IExecutionProvider::IKernelLookup {
 public:
  const KernelCreateInfo* LookUpKernel(const Node&) const override { return nullptr; }
};

using Capabilities = std::vector<std::unique_ptr<ComputeCapability>>;

// As Environment::Initialize of ONNX Runtime does.
void register_schemas() {
  auto& domains = ONNX_NAMESPACE::OpSchemaRegistry::DomainToVersionRange::Instance();
  const int newest = domains.LastReleaseVersionMap().find(ONNX_NAMESPACE::ONNX_DOMAIN)->second;
  for (const char* domain : {kMSDomain, kMSExperimentalDomain, kMSNchwcDomain, kPytorchAtenDomain})
    if (!domains.Map().count(domain)) domains.AddDomainToVersion(domain, 1, 1);
  domains.AddDomainToVersion(kMSInternalNHWCDomain, 1, newest);
  ONNX_NAMESPACE::RegisterOpSetSchema<contrib::OpSet_Microsoft_ver1>();
  ONNX_NAMESPACE::RegisterOpSetSchema<contrib::OpSet_ONNX_Deprecated>();
  ONNX_NAMESPACE::RegisterOpSetSchema<internal_nhwc_onnx::OpSet_Internal_NHWC_ONNX>();
  contrib::RegisterContribSchemas();
}

std::unique_ptr<IExecutionProvider> provider_of(const std::string& name) {
  if (name == "nnapi" || name == "nnapi-nchw")
    return std::make_unique<NnapiExecutionProvider>(name == "nnapi" ? 0 : NNAPI_FLAG_USE_NCHW);
  ORT_ENFORCE(name.rfind("coreml-", 0) == 0, "no provider ", name);
  const bool is_static = name.find("-static") != std::string::npos;
  const bool is_program = name.find("mlprogram") != std::string::npos;
  return std::make_unique<CoreMLExecutionProvider>(CoreMLOptions(
      (is_program ? COREML_FLAG_CREATE_MLPROGRAM : 0) | (is_static ? COREML_FLAG_ONLY_ALLOW_STATIC_INPUT_SHAPES : 0)));
}

Capabilities claimed_by(const IExecutionProvider& provider, const Graph& graph) {
  const GraphViewer viewer(graph);
  Capabilities claimed = provider.GetCapability(viewer, NoKernels(), nullptr), kept;
  for (auto& one : claimed)
    if (one && one->sub_graph) kept.push_back(std::move(one));
  return kept;
}

// As GetCapabilityForEP of graph_partitioner.cc: asked again after the layout of what it claimed is transformed.
Capabilities partitions_of(IExecutionProvider& provider, Graph& graph) {
  const bool is_nhwc = provider.GetPreferredLayout() == DataLayout::NHWC;
  if (is_nhwc && !layout_transformation::IsSupportedOpset(graph)) return {};
  Capabilities claimed = claimed_by(provider, graph);
  if (claimed.empty() || !is_nhwc) return claimed;
  for (const auto& one : claimed) {
    bool is_free = true;
    for (const auto index : one->sub_graph->nodes)
      is_free = is_free && graph.GetNode(index) && graph.GetNode(index)->GetExecutionProviderType().empty();
    for (const auto index : one->sub_graph->nodes)
      if (is_free) graph.GetNode(index)->SetExecutionProviderType(provider.Type());
  }
  const NodeIndex first_new = graph.MaxNodeIndex();
  bool modified = false;
  ORT_THROW_IF_ERROR(layout_transformation::TransformLayoutForEP(graph, modified, provider,
                                                                 std::make_shared<CPUAllocator>(), {}));
  ORT_THROW_IF_ERROR(graph.Resolve());
  claimed = claimed_by(provider, graph);
  std::vector<bool> is_claimed(graph.MaxNodeIndex());
  for (const auto& one : claimed)
    for (const auto index : one->sub_graph->nodes) is_claimed[index] = true;
  for (NodeIndex i = first_new; i < is_claimed.size(); i++)
    if (const Node* node = graph.GetNode(i); node && node->Domain() == kMSInternalNHWCDomain && !is_claimed[i])
      ORT_THROW("EP_FAIL: ", node->OpType(), " ", node->Name(), " was transformed to NHWC and then not claimed");
  return claimed;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, static_cast<unsigned char>(c) < ' ' ? ' ' : c);
  return out + "\"";
}

void print(const Graph& graph, const Capabilities& claimed) {
  std::vector<int> partition(graph.MaxNodeIndex(), -1);
  for (size_t i = 0; i < claimed.size(); i++)
    for (const auto index : claimed[i]->sub_graph->nodes) partition[index] = static_cast<int>(i);
  std::cout << "{\"partitions\": " << claimed.size() << ", \"nodes\": [";
  const char* between = "";
  for (const auto& node : graph.Nodes()) {
    std::cout << between << "[" << quoted(node.Name()) << ", " << quoted(node.OpType()) << ", " << partition[node.Index()]
              << "]";
    between = ", ";
  }
  std::cout << "]}" << std::endl;
}

int ask(const std::string& name, const std::string& path) {
  const std::string id = "ask";
  const bool is_verbose = std::getenv("ASK_VERBOSE") != nullptr;
  logging::LoggingManager manager(std::make_unique<logging::CErrSink>(),
                                  is_verbose ? logging::Severity::kVERBOSE : logging::Severity::kERROR, false,
                                  logging::LoggingManager::InstanceType::Default, &id);
  register_schemas();
  std::shared_ptr<Model> model;
  ORT_THROW_IF_ERROR(Model::Load(ToPathString(path), model, nullptr, manager.DefaultLogger()));
  Graph& graph = model->MainGraph();
  ORT_THROW_IF_ERROR(graph.Resolve());
  auto provider = provider_of(name);
  provider->SetLogger(&manager.DefaultLogger());
  print(graph, partitions_of(*provider, graph));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: ask PROVIDER LEVEL MODEL.onnx\n";
    return 2;
  }
  asked_level = std::atoi(argv[2]);
  try {
    return ask(argv[1], argv[3]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 1;
  }
}
