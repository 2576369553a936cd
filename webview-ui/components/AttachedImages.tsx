import { Icon } from './Icon.tsx';
import { usePanel } from './PanelContext.ts';

/** Small pictures of what goes with the message, each with a way to take it off. */
export function AttachedImages() {
  const { images, trouble, remove } = usePanel().attachments;
  if (images.value.length === 0 && trouble.value === '') return null;
  return (
    <div class="attached">
      {images.value.map((image, index) => (
        <span key={index} class="attached-image" data-testid="attached-image">
          <img src={`data:${image.mediaType};base64,${image.data}`} alt={`Attached image ${index + 1}`} />
          <button type="button" class="attached-remove" title="Remove image" aria-label={`Remove attached image ${index + 1}`} onClick={() => remove(index)}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      {trouble.value !== '' && (
        <p class="attached-trouble" role="alert" data-testid="attached-trouble">
          {trouble.value}
        </p>
      )}
    </div>
  );
}
